"""The order in which the two native libraries are loaded, each case in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hebbs_index.errors import ModelUnavailable
from hebbs_index.native import import_usearch


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


USE_BOTH = """
import numpy as np
index = usearch.Index(ndim=4, metric="ip")
index.add(np.arange(2), np.eye(4, dtype=np.float32)[:2])
print(len(index), onnxruntime.SessionOptions().intra_op_num_threads)
"""


@pytest.mark.parametrize(
    "order",
    [
        "usearch = import_usearch(); onnxruntime = import_onnxruntime()",
        "onnxruntime = import_onnxruntime(); usearch = import_usearch()",
    ],
)
def test_both_libraries_work_whichever_is_asked_for_first(order):
    code = f"from hebbs_index.native import import_onnxruntime, import_usearch\n{order}\n{USE_BOTH}"

    result = run_python(code)

    assert (result.returncode, result.stdout.split()) == (0, ["2", "0"]), result.stderr


def test_usearch_asked_for_from_two_threads_at_once_is_loaded_once():
    code = """
from concurrent.futures import ThreadPoolExecutor
from hebbs_index.native import import_onnxruntime, import_usearch
with ThreadPoolExecutor(4) as pool:
    jobs = [pool.submit(f) for f in (import_usearch, import_onnxruntime) * 2]
print(len({job.result().__name__ for job in jobs}))
"""
    result = run_python(code)

    assert (result.returncode, result.stdout.strip()) == (0, "2"), result.stderr


def test_a_foreign_import_of_usearch_gives_a_sentence_instead_of_a_crash():
    code = """
import usearch.index
from hebbs_index.errors import ModelUnavailable
from hebbs_index.native import import_onnxruntime
try:
    import_onnxruntime()
except ModelUnavailable as error:
    print(error)
"""
    result = run_python(code)

    assert result.returncode == 0, result.stderr
    assert "usearch was imported before onnxruntime" in result.stdout


def test_importing_native_and_embed_loads_no_library():
    code = """
import sys
import hebbs_index.native, hebbs_index.layers.embed
print([name for name in ("onnxruntime", "usearch", "tokenizers", "spacy") if name in sys.modules])
"""
    result = run_python(code)

    assert result.stdout.strip() == "[]", result.stderr


def test_usearch_is_usable_where_onnxruntime_is_broken(tmp_path):
    (tmp_path / "onnxruntime.py").write_text("raise ImportError('no shared library')\n")
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from hebbs_index.native import import_onnxruntime, import_usearch
from hebbs_index.errors import ModelUnavailable
print(import_usearch().__name__)
"""
    result = run_python(code)

    assert result.stdout.strip() == "usearch.index", result.stderr


def test_a_missing_library_is_named(monkeypatch):
    from hebbs_index import native

    def fail(name: str) -> None:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(native.importlib, "import_module", fail)
    monkeypatch.delitem(sys.modules, "usearch", raising=False)

    with pytest.raises(ModelUnavailable, match="onnxruntime cannot be imported"):
        native.import_onnxruntime()
    with pytest.raises(ImportError, match="usearch"):
        import_usearch()
