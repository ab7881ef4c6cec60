"""Import of Python files by commands."""

import pytest
from spacy.util import registry

from spacy_npparse.imported_code import CodeError, import_code


def test_a_file_is_imported_once(tmp_path, monkeypatch):
    """Some side effects of a file cannot be repeated."""
    path = tmp_path / "code.py"
    path.write_text(
        "from pathlib import Path\n"
        "import spacy\n"
        "@spacy.registry.misc('test_imported_code')\n"
        "def anything(): ...\n"
        "path = Path(__file__).with_name('times')\n"
        "assert not path.exists()\n"
        "path.touch()\n"
    )
    import_code(path)
    monkeypatch.chdir(tmp_path)
    import_code(path.relative_to(tmp_path))
    import_code(None)
    assert registry.has("misc", "test_imported_code") and (tmp_path / "times").exists()


def test_what_cannot_be_imported_may_be_mended(tmp_path):
    path = tmp_path / "code.py"
    with pytest.raises(CodeError, match=r"code\.py: cannot be imported \(FileNotFoundError"):
        import_code(path)
    path.write_text("1 / 0")
    with pytest.raises(CodeError, match="ZeroDivisionError"):
        import_code(path)
    path.write_text("raise SystemExit(0)")
    with pytest.raises(CodeError, match="SystemExit: 0"):
        import_code(path)
    path.write_text("")
    import_code(path)
