"""The one place that imports onnxruntime and usearch, because their order matters.

With usearch 2.26 and onnxruntime 1.32 a process that imports usearch first crashes when it
imports onnxruntime; the other way round both work. So whoever wants usearch gets
onnxruntime loaded before it, if that is installed at all. Each import costs about
0.2 s: call these functions where vectors are needed, never at the top of a module.
"""

from __future__ import annotations

import importlib
import sys
import threading
from importlib.util import find_spec
from typing import Any

from hebbs_index.errors import ModelUnavailable

_loading = threading.Lock()


def import_onnxruntime() -> Any:
    """Import onnxruntime.

    Raises ModelUnavailable if it is missing, broken, or can no longer be loaded safely
    because something else in this process imported usearch before it.
    """
    with _loading:
        return _onnxruntime()


def import_usearch() -> Any:
    """Import usearch's index module, after onnxruntime.

    Raises ImportError if usearch is missing; its file is a cache, so the caller can
    search exactly instead.
    """
    with _loading:
        if "usearch" not in sys.modules and find_spec("onnxruntime") is not None:
            _load_ahead()
        return importlib.import_module("usearch.index")


def _load_ahead() -> None:
    """Load onnxruntime for the order alone: a broken one is no reason to go without usearch."""
    try:
        _onnxruntime()
    except ModelUnavailable:
        return


def _onnxruntime() -> Any:
    if "usearch" in sys.modules and "onnxruntime" not in sys.modules:
        raise ModelUnavailable(
            "usearch was imported before onnxruntime, and loading onnxruntime now would crash",
            hint="Import hebbs_index.native and call import_onnxruntime() before usearch.",
        )
    try:
        return importlib.import_module("onnxruntime")
    except ImportError as error:
        raise ModelUnavailable(
            f"onnxruntime cannot be imported: {error}", hint="pip install onnxruntime"
        ) from error
