"""What the speed benchmark measures, one task a process.

Each task runs in a process of its own, so that no loaded model, warm cache or grown heap
of one measurement flatters the next, and prints one JSON object: wall seconds, peak memory
and deterministic counts. `python -m benchmarks.tasks NAME JSON` runs one; `run` does that.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from hebbs_index.records import FileAnalysis, FileProblem, ParsedFile, Proposition

Result = dict[str, Any]

REPOSITORY = Path(__file__).parent.parent
JUDGED_PAIRS = 20_000
SAMPLE_TEXTS = 400  # for comparing ways of embedding; the fastest then embeds everything


def run(task: str, **arguments: Any) -> Result:
    """Run a task in a fresh process and give what it measured.

    Raises RuntimeError with the process's own words if it fails.
    """
    command = [sys.executable, "-m", "benchmarks.tasks", task, json.dumps(arguments)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"task {task} failed ({done.returncode}):\n{done.stderr[-2000:]}")
    result: Result = json.loads(done.stdout.splitlines()[-1])
    return result


def timed(action: Callable[[], Any]) -> float:
    """Wall seconds of an action."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


class Stopwatch:
    """Wall and processor seconds since it was made; the latter hardly notice other processes."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def read(self) -> Result:
        wall, processor = time.perf_counter(), time.process_time()
        return {"seconds": wall - self._wall, "cpu": processor - self._processor}


def peak_megabytes() -> float:
    """Largest resident size this process and each of its finished children had."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    unit = 1024 if sys.platform == "darwin" else 1
    return max(own, children) / unit / 1024


# -- the limit ---------------------------------------------------------------


def collect(corpus: str, texts: str, language: bool = True) -> Result:
    """Write down which texts each model has to read for a corpus, and time a judgement.

    `texts` is the file that `read_blocks` and `embed_texts` take their input from.
    """
    from hebbs_index.layers.nlp import load_language_model

    model = _Recorder(load_language_model(enabled=language))
    analyses = _analyse(Path(corpus), model)
    propositions = [p for analysis in analyses for p in analysis.propositions]
    distinct = list(dict.fromkeys(p.embed_text for p in propositions))
    Path(texts).write_text(json.dumps({"language": model.texts, "embed": distinct}))
    pairs = list(islice(_pairs(analyses), JUDGED_PAIRS))
    return {
        "documents": len(analyses),
        "propositions": len(propositions),
        "blocks": len(model.texts),
        "distinct": len(distinct),
        "judged": len(pairs),
        "judge_seconds": _time_judging(pairs),
    }


class _Recorder:
    """A language model that remembers what it was given to read."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.texts: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def pipe(self, texts: Any) -> Iterator[Any]:
        def remembered() -> Iterator[str]:
            for text in texts:
                self.texts.append(text)
                yield text

        yield from self._model.pipe(remembered())


def _parsed(corpus: Path) -> Iterator[ParsedFile]:
    from hebbs_index.layers.parse import FORMATS, Unparsable, parse

    for path in sorted(corpus.rglob("*")):
        if path.suffix.lower() in FORMATS and path.is_file() and ".hebbs" not in path.parts:
            try:
                yield parse(path.relative_to(corpus).as_posix(), path.read_bytes())
            except Unparsable as problem:
                print(problem.problem, file=sys.stderr)


def _analyse(corpus: Path, model: Any) -> list[FileAnalysis]:
    from hebbs_index.layers.analyze import analyze_files

    analyses = []
    for result in analyze_files(_parsed(corpus), model, entity_folders=("entities",)):
        if isinstance(result, FileProblem):
            print(f"{result.path}: {result.reason}", file=sys.stderr)
        else:
            analyses.append(result)
    if not analyses:
        raise SystemExit(f"{corpus}: no document could be analysed")
    return analyses


def _pairs(analyses: list[FileAnalysis]) -> Iterator[tuple[Proposition, Proposition]]:
    """Pairs as candidates are: neighbours in a file, then any two, drawn by a fixed seed."""
    draw = random.Random(7)
    files = [analysis.propositions for analysis in analyses if len(analysis.propositions) > 1]
    for propositions in files:
        yield from zip(propositions[::2], propositions[1::2], strict=False)
    for _ in range(JUDGED_PAIRS if files else 0):
        yield draw.choice(draw.choice(files)), draw.choice(draw.choice(files))


def _time_judging(pairs: list[tuple[Proposition, Proposition]]) -> float:
    from hebbs_index.contradictions.judge import judge

    def judge_all() -> None:
        for a, b in pairs:
            judge(a.claims, b.claims, text_a=a.text, text_b=b.text, similarity=0.7)

    return timed(judge_all)


def read_blocks(texts: str, part: int = 0, parts: int = 1) -> Result:
    """Only spaCy: the pipes that an index run uses, over the texts it reads or a share of them."""
    from hebbs_index.layers.nlp import BATCH_TEXTS, load_language_model

    blocks = json.loads(Path(texts).read_text())["language"][part::parts]
    started = time.perf_counter()
    pipeline = load_language_model()._pipeline
    loading = time.perf_counter() - started
    tokens = 0
    watch = Stopwatch()
    for doc in pipeline.pipe(blocks, batch_size=BATCH_TEXTS):
        tokens += len(doc)
    return {**watch.read(), "loading": loading, "tokens": tokens, "texts": len(blocks)}


def embed_texts(texts: str) -> Result:
    """Only the embedding model, over the distinct texts, in the fastest way known.

    Two ways are compared on a sample: this package's own (equal lengths together, one
    thread a batch) and one text at a time with the cores inside the session. The slower
    one is not run in full; its seconds are what its rate on the sample would take.
    """
    from hebbs_index.layers.embed import open_embedder

    distinct = json.loads(Path(texts).read_text())["embed"]
    sample = distinct[:: max(1, len(distinct) // SAMPLE_TEXTS)]
    embedder = open_embedder()
    loading = timed(lambda: embedder.embed(["warm"]))
    own_rate = len(sample) / timed(lambda: embedder.embed(sample))
    other_rate = len(sample) / _time_one_by_one(sample)
    watch = Stopwatch()
    embedder.embed(distinct)
    spent = watch.read()
    return {
        **spent,
        "seconds": min(spent["seconds"], len(distinct) / other_rate),
        "loading": loading,
        "texts": len(distinct),
        "own_rate": own_rate,
        "one_by_one_rate": other_rate,
    }


def _time_one_by_one(sample: list[str]) -> float:
    import numpy as np
    from tokenizers import Tokenizer

    from hebbs_index.layers.models import packaged_files
    from hebbs_index.native import import_onnxruntime

    runtime = import_onnxruntime()
    files = packaged_files()
    tokenizer = Tokenizer.from_file(str(files.tokenizer.path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = os.cpu_count() or 1
    options.log_severity_level = 3
    session = runtime.InferenceSession(
        str(files.model.path), options, providers=["CPUExecutionProvider"]
    )

    def embed_all() -> None:
        for encoding in tokenizer.encode_batch(sample):
            ids = np.array([encoding.ids], dtype=np.int64)
            names = ("input_ids", "attention_mask", "token_type_ids")
            session.run(None, dict(zip(names, (ids, ids * 0 + 1, ids * 0), strict=True)))

    embed_all()
    return timed(embed_all)


# -- the tool ----------------------------------------------------------------


def index(root: str) -> Result:
    """One index run in a fresh process, models and all."""
    from hebbs_index.index import Hebbs

    watch = Stopwatch()
    with Hebbs.open(root=Path(root), create=True) as hebbs:
        report = hebbs.index()
    return {
        **watch.read(),
        "peak_mb": peak_megabytes(),
        "documents": report.documents,
        "propositions": report.propositions,
        "pending": report.pending,
        "problems": len(report.problems),
        "off": list(report.off),
        **asdict(report.counters),
    }


def edit(root: str, path: str) -> Result:
    """Change one paragraph and index, first with nothing loaded, then with everything warm."""
    from hebbs_index.index import Hebbs

    file = Path(path)
    started = time.perf_counter()
    with Hebbs.open(root=Path(root)) as hebbs:
        opened = time.perf_counter() - started
        runs = []
        for number in (1, 2, 3):
            _append_paragraph(file, number)
            started = time.perf_counter()
            report = hebbs.index()
            runs.append({"seconds": time.perf_counter() - started, **asdict(report.counters)})
    return {"cold": opened + runs[0]["seconds"], "warm": runs[-1]["seconds"], **runs[0]}


def _append_paragraph(file: Path, number: int) -> None:
    words = f"The benchmark edited this paragraph {number} times on a quiet afternoon."
    with file.open("a", encoding="utf-8") as stream:
        stream.write(f"\n\n{words}\n")


def walk(root: str) -> Result:
    """What it costs to list and stat the same files, with nothing else."""

    def visit(folder: str) -> None:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    visit(entry.path)
                else:
                    entry.stat(follow_symlinks=False)

    return {"seconds": min(timed(lambda: visit(root)) for _ in range(5))}


TASKS: dict[str, Callable[..., Result]] = {
    task.__name__: task for task in (collect, read_blocks, embed_texts, index, edit, walk)
}


if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](**json.loads(sys.argv[2]))))
