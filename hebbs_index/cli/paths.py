"""Folders as people type them: what is not one gets a sentence before anything is opened."""

from __future__ import annotations

import os
from pathlib import Path

from hebbs_index.errors import InputError


def require_folder(path: Path) -> Path:
    """Give the folder back. Raises InputError if it is missing, a file, or closed to us."""
    if path.is_dir():
        if not os.access(path, os.R_OK | os.X_OK):
            raise InputError(f"no permission to read {path}")
        return path
    if path.exists():
        raise InputError(f"{path} is a file, not a folder")
    raise InputError(f"there is no folder {path}")
