"""The commented `hebbs.toml` that `hebbs init` writes, made from the settings themselves."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from hebbs_index.config import SECTIONS

HEAD = """\
# Settings of hebbs-index for this folder. Every line that is commented out shows a default;
# take the `#` away to change it. A variable HEBBS_<SECTION>_<KEY> wins over this file and
# `--set section.key=value` over both. `hebbs config` shows what is in force, and why.
"""


def commented_config() -> str:
    """A `hebbs.toml` that changes nothing and explains everything."""
    return HEAD + "".join(_section(name, section) for name, section in SECTIONS.items())


def _section(name: str, section: type[Any]) -> str:
    about = (section.__doc__ or "").splitlines()[0]
    lines = ["", f"[{name}]", f"# {about}"]
    for item in fields(section):
        lines += [f"# - {item.metadata['doc']}", f"#{item.name} = {toml_value(item.default)}"]
    return "\n".join(lines) + "\n"


def toml_value(value: Any) -> str:
    """A setting's value as TOML writes it."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
