"""Reading the sources of the configuration, each into a `Layer` of values and faults.

No reader raises: a fault is a sentence that names its place (line, variable or flag),
what is wrong, and for a misspelt name the one that was probably meant. So a user
sees everything there is to mend in one go.
"""

from __future__ import annotations

import difflib
import math
import re
import string
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from hebbs_index.config import (
    CONFIG_NAME,
    FLAG_ORIGIN,
    FOLDERS,
    PATTERNS,
    SECTIONS,
    SETTINGS,
    SHA256,
    Config,
)
from hebbs_index.errors import ConfigError

PREFIX = "HEBBS_"
WORDS = {
    "true": True, "yes": True, "on": True, "1": True,
    "false": False, "no": False, "off": False, "0": False,
}  # fmt: skip


@dataclass
class Layer:
    """What one source says: valid values with their origin, and its faults."""

    source: str
    values: dict[str, tuple[Any, str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def take(self, name: str, value: Any, *, place: str, origin: str) -> None:
        """Keep a value, or note what is wrong with it."""
        try:
            self.values[name] = (check_value(name, value), origin)
        except ValueError as error:
            self.faults.append(f"{place}{name} {error}")


# --------------------------------------------------------------------------
# The three sources
# --------------------------------------------------------------------------


def read_file(path: Path) -> Layer:
    """Read a `hebbs.toml`; a missing one says nothing."""
    layer = Layer(str(path))
    if not path.exists():
        return layer
    try:
        text = path.read_bytes().decode("utf-8-sig")
        tables = tomllib.loads(text)
    except OSError as error:
        layer.faults.append(f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        layer.faults.append(f"line {line}: not UTF-8 text")
    except tomllib.TOMLDecodeError as error:
        layer.faults.append(_syntax_fault(str(error)))
    except RecursionError:
        layer.faults.append("nested too deeply")
    else:
        _read_tables(layer, tables, text)
    return layer


def _syntax_fault(message: str) -> str:
    found = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if found is None:
        return f"not valid TOML: {message}"
    return f"line {found[1]}, column {found[2]}: not valid TOML: {message[: found.start()]}"


def _read_tables(layer: Layer, tables: Mapping[str, Any], text: str) -> None:
    for section, table in tables.items():
        if section not in SECTIONS:
            line = _line_of(text, None, section) or _line_of(text, section, None)
            layer.faults.append(f"{_at(line)}{unknown_section(section, top_level=table)}")
        elif not isinstance(table, dict):
            line = _line_of(text, None, section)
            layer.faults.append(f"{_at(line)}{section} is a section: write [{section}]")
        else:
            _read_section(layer, section, table, text)


def _read_section(layer: Layer, section: str, table: Mapping[str, Any], text: str) -> None:
    for key, value in table.items():
        name, place = f"{section}.{key}", _at(_line_of(text, section, key))
        if name in SETTINGS:
            layer.take(name, value, place=place, origin=CONFIG_NAME)
        else:
            layer.faults.append(f"{place}{unknown_name(name)}")


def _at(line: int | None) -> str:
    return f"line {line}: " if line else ""


def _line_of(text: str, section: str | None, key: str | None) -> int | None:
    """Line of `key = ...` in a section, or of the section's header; None if written otherwise."""
    current: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[\s*([\w\"'-]+)\s*\]", line)
        if header:
            current = header[1].strip("\"'")
            if key is None and current == section:
                return number
        assigned = re.match(r"\s*([\w\"'-]+)\s*[.=]", line)
        if assigned and current == section and assigned[1].strip("\"'") == key:
            return number
    return None


def read_environment(environ: Mapping[str, str]) -> Layer:
    """Read the variables that name a section; others, such as HEBBS_ROOT, are not settings."""
    layer = Layer("the environment")
    for variable in sorted(environ):
        section, _, key = variable.removeprefix(PREFIX).lower().partition("_")
        if not variable.startswith(PREFIX) or section not in SECTIONS or not key:
            continue
        name = f"{section}.{key}"
        if name not in SETTINGS:
            layer.faults.append(f"{variable}: {unknown_name(name)}")
            continue
        _take_text(layer, name, environ[variable], place=f"{variable}: ", origin=variable)
    return layer


def read_flags(overrides: Mapping[str, Any]) -> Layer:
    """Read the overrides of a command line or a caller."""
    layer = Layer("the flags")
    for name, value in overrides.items():
        if name not in SETTINGS:
            layer.faults.append(f"flag: {unknown_name(name)}")
        elif isinstance(value, str):
            _take_text(layer, name, value, place="flag: ", origin=FLAG_ORIGIN)
        else:
            layer.take(name, value, place="flag: ", origin=FLAG_ORIGIN)
    return layer


def _take_text(layer: Layer, name: str, text: str, *, place: str, origin: str) -> None:
    try:
        value = parse_text(name, text)
    except ValueError as error:
        layer.faults.append(f"{place}{name} {error}")
    else:
        layer.take(name, value, place=place, origin=origin)


def check_together(config: Config, layers: Sequence[Layer]) -> None:
    """Note faults that no single setting has; the last source that spoke is blamed."""
    if config.watch.ceiling_ms >= config.watch.quiet_ms:
        return
    names = ("watch.ceiling_ms", "watch.quiet_ms")
    blamed = [layer for layer in layers if any(name in layer.values for name in names)]
    blamed[-1].faults.append("watch.ceiling_ms must not be less than watch.quiet_ms")


def faults_error(path: Path, layers: Sequence[Layer]) -> ConfigError:
    """One error for all faults, naming the file only once if it is alone at fault."""
    file, others = layers[0], [fault for layer in layers[1:] for fault in layer.faults]
    if not others:
        return ConfigError(str(path), file.faults)
    return ConfigError("the configuration", [f"{path}: {f}" for f in file.faults] + others)


# --------------------------------------------------------------------------
# Names and values
# --------------------------------------------------------------------------


def unknown_section(section: str, *, top_level: Any = None) -> str:
    """Say that a section does not exist, and which was probably meant."""
    if not isinstance(top_level, dict):
        homes = [name for name in SETTINGS if name.split(".")[1] == section]
        if homes:
            belongs = " or ".join(f"[{name.split('.')[0]}]" for name in homes)
            return f"{section} stands outside of a section: move it under {belongs}"
    near = difflib.get_close_matches(section, SECTIONS, n=1)
    known = ", ".join(SECTIONS)
    advice = f"did you mean [{near[0]}]?" if near else f"the sections are {known}"
    return f"unknown section [{section}]: {advice}"


def unknown_name(name: str) -> str:
    """Say that a setting does not exist, and which was probably meant."""
    section, _, key = name.partition(".")
    if section not in SECTIONS:
        return unknown_section(section) if key else f"unknown setting {name}: {_nearest(name)}"
    return f"unknown setting {name}: {_nearest(name)}"


def _nearest(name: str) -> str:
    section, _, key = name.rpartition(".")
    own = [known.split(".")[1] for known in SETTINGS if known.split(".")[0] == section]
    near = [f"{section}.{known}" for known in difflib.get_close_matches(key, own, n=1)]
    near = near or [known for known in SETTINGS if known.split(".")[1] == key]
    if near:
        return f"did you mean {near[0]}?"
    return f"[{section}] has {', '.join(own)}" if own else "see `hebbs config` for all"


def default_of(name: str) -> Any:
    """The default of a setting; its type is the setting's type."""
    default = SETTINGS[name].default
    if default is MISSING:
        raise ValueError(f"{name} has no default")
    return default


def parse_text(name: str, text: str) -> Any:
    """Read a value written in a variable or a flag. Raises ValueError with what is wanted."""
    default, text = default_of(name), text.strip()
    if isinstance(default, bool):
        if text.lower() not in WORDS:
            raise ValueError(f"must be true or false, not {text!r}")
        return WORDS[text.lower()]
    if isinstance(default, tuple):
        return _parse_list(text)
    if isinstance(default, str):
        return text
    try:
        return int(text) if isinstance(default, int) else float(text)
    except ValueError:
        raise ValueError(f"must be {_wanted(default)}, not {text!r}") from None


def _parse_list(text: str) -> list[Any]:
    if not text.startswith("["):
        return [item.strip() for item in text.split(",") if item.strip()]
    try:
        value = tomllib.loads(f"list = {text}")["list"]
    except tomllib.TOMLDecodeError:
        value = None
    if not isinstance(value, list):
        raise ValueError(f'must be a list such as ["a", "b"] or a,b, not {text!r}')
    return value


def check_value(name: str, value: Any) -> Any:
    """Give a value in its setting's type. Raises ValueError with what is wanted."""
    default, metadata = default_of(name), SETTINGS[name].metadata
    if not _has_type(value, default):
        raise ValueError(f"must be {_wanted(default)}, not {_shown(value)}")
    if isinstance(default, tuple):
        if problems := "; and ".join(_list_problems(value, metadata["form"])):
            raise ValueError(problems)
        return tuple(item.strip("/") if metadata["form"] == FOLDERS else item for item in value)
    if isinstance(default, (int, float)) and not isinstance(default, bool):
        _check_range(value, metadata["low"], metadata["high"])
        return type(default)(value)
    if metadata["form"] == SHA256 and value and not _is_sha256(value):
        raise ValueError("must be 64 hexadecimal digits")
    return value.lower() if metadata["form"] == SHA256 else value


def _has_type(value: Any, default: Any) -> bool:
    if isinstance(default, tuple):
        return isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)
    if isinstance(default, float):
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return type(value) is type(default)


def _wanted(default: Any) -> str:
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    return kinds.get(type(default), "a list of texts")


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"the text {value!r}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    return f"the list {value!r}" if isinstance(value, (list, tuple)) else str(value)


def _check_range(value: float, low: float | None, high: float | None) -> None:
    if math.isfinite(value) and (low is None or value >= low) and (high is None or value <= high):
        return
    if low is not None and high is not None:
        raise ValueError(f"must be between {low:g} and {high:g}, not {value}")
    bound = f"at least {low:g}" if low is not None else f"at most {high:g}"
    raise ValueError(f"must be {bound}, not {value}")


def _is_sha256(value: str) -> bool:
    return len(value) == 64 and set(value) <= set(string.hexdigits)


def _list_problems(items: Sequence[str], form: str) -> Iterator[str]:
    for item in items:
        if form == PATTERNS and (reason := _pattern_problem(item)):
            yield f"has the pattern {item!r}, which {reason}"
        if form == FOLDERS and _is_outside(item):
            yield f"has {item!r}, which is not a folder below the root"


def _pattern_problem(pattern: str) -> str | None:
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    try:
        compiled = GitIgnoreSpecPattern(pattern)
    except (ValueError, re.error):
        return "is not a valid .gitignore pattern"
    if compiled.include is None:
        return "can never match a file"
    return None


def _is_outside(folder: str) -> bool:
    path = PurePosixPath(folder)
    return not folder.strip("/ ") or path.is_absolute() or ".." in path.parts or "\\" in folder
