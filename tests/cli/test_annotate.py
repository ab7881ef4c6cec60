"""Tests of the command `annotate`, whose workers run in this process."""

import io
import re
import shutil
import sys
import time
from itertools import count
from pathlib import Path

import pytest
from small_corpora import (
    DEADLY,
    FAILING,
    InlineWorkers,
    annotate_missing,
    content,
    corpus_of,
    small_pipeline,
    write_corpus,
)

from spacy_npparse import extras
from spacy_npparse.cli import annotate as command
from spacy_npparse.scaling.corpus import keep_stdin
from spacy_npparse.scaling.manifest import FolderMismatchError, read_manifest
from spacy_npparse.scaling.shards import LOCKS
from spacy_npparse.workfolder import claim


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    return small_pipeline(tmp_path_factory.mktemp("pipeline") / "model")


@pytest.fixture
def annotate(run, pipeline, monkeypatch):
    """Return a function that runs the command with small batches."""

    def workers(number, begin, job):
        return InlineWorkers(job)

    monkeypatch.setattr(command, "Workers", workers)

    def run_command(*arguments, model=pipeline, **options):
        return run("annotate", model, *arguments, "--batch-size", 4, **options)

    return run_command


def test_a_corpus_is_annotated_and_continued(annotate, pipeline, tmp_path, monkeypatch):
    # The clock advances 30 seconds at each reading, so that each shard prints a line.
    monkeypatch.setattr(time, "monotonic", count(0, 30).__next__)
    source = write_corpus(tmp_path / "corpus")
    (source / "more.txt").write_text(f"One.\n\n{FAILING}.")
    arguments = (source, tmp_path / "out", "--words-per-shard", 60)
    corpus = corpus_of(pipeline, [source], tmp_path / "out", words_per_shard=60)
    claims = [(shard, corpus.claim(shard)) for shard in corpus.shards[1::2]]
    result = annotate(*arguments)
    assert result.exit_code == 0, result.output
    assert "other processes have begun the shards that are missing" in result.output
    for claimed in claims:
        corpus.release(*claimed)
    result = annotate(*arguments)
    assert result.exit_code == 0, result.output
    n_shards = len(read_manifest(tmp_path / "out").shards)
    n_finished = n_shards - n_shards // 2
    assert f"{n_finished} of {n_shards} shards are finished already." in result.output
    lines = re.findall(r"^(\d+)/\d+ shards, .*words/s, [\d:]+ left$", result.output, re.M)
    assert lines == [str(number) for number in range(1, n_shards // 2 + 1)]
    assert result.output.count("00:00 left") == 1
    assert "⚠ 1 texts could not be annotated: see" in result.output
    counts = read_manifest(tmp_path / "out").counts
    n_sentences, n_words = f"{counts['n_sentences']:,}", f"{counts['n_words']:,}"
    assert f"{n_shards} shards, {n_sentences} sentences, {n_words} words" in result.output
    corpus = corpus_of(pipeline, [source], tmp_path / "again")
    annotate_missing(corpus)
    assert content(tmp_path / "out") == content(tmp_path / "again")
    damaged = next((tmp_path / "out" / "shards").iterdir())
    damaged.write_text("")
    result = annotate(*arguments)
    assert (
        f"{damaged} has changed since it was written: shard {damaged.stem} is annotated"
        in result.output
    )
    assert content(tmp_path / "out") == content(tmp_path / "again")


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, ["2/2 shards, 1 texts quarantined, 1 of 1 words, 0 words/s, ? left"]),
        (
            30,
            [
                "1/2 shards, 1 texts quarantined, 0 of 1 words, 0 words/s, ? left",
                "2/2 shards, 1 texts quarantined, 1 of 1 words, 0 words/s, 00:00 left",
            ],
        ),
    ],
)
def test_progress_without_words_or_time(annotate, tmp_path, monkeypatch, seconds, expected):
    monkeypatch.setattr(time, "monotonic", count(0, seconds).__next__)
    source = tmp_path / "corpus"
    source.mkdir()
    (source / "a.txt").write_text("One.")
    (source / "b.conllu").write_text("no word\n\n")
    result = annotate(source, tmp_path / "out", "--words-per-shard", 1)
    assert result.exit_code == 0, result.output
    # The second shard ends first.
    assert re.findall("^.*words/s.*$", result.output, re.M) == expected


@pytest.mark.parametrize(
    ("options", "suffix"),
    [
        (["--compress"], ".conllu.zst"),
        (["--format", "docbin"], ".spacy"),
        (["--format", "PARQUET"], ".parquet"),
    ],
)
def test_formats(annotate, tmp_path, options, suffix):
    (tmp_path / "a.txt").write_text("One.")
    result = annotate(tmp_path / "a.txt", tmp_path / "out", *options)
    assert result.exit_code == 0, result.output
    assert [path.name for path in (tmp_path / "out" / "shards").iterdir()] == [f"00000000{suffix}"]


def test_standard_input(annotate, tmp_path):
    result = annotate("-", tmp_path / "out", input="One.\n\nTwo.")
    assert result.exit_code == 0, result.output
    assert re.findall("# .*_id = (.*)", content(tmp_path / "out")) == [
        "stdin-d1p1s1",
        "stdin-d1p2s1",
    ]
    result = annotate("-", tmp_path / "out", input="One.\n\nTwo.")
    assert "1 of 1 shards are finished already" in result.output
    result = annotate("-", tmp_path / "out", input="One.\n\nThree.")
    assert result.exit_code == 1 and "Standard input differs from the text" in result.output
    # The refused text has not changed the folder.
    assert "1 of 1 shards" in annotate("-", tmp_path / "out", input="One.\n\nTwo.").output


def test_shards_that_were_given_up(annotate, tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("One.\n\nTwo.\n\nThree.")
    monkeypatch.setattr(
        command, "annotate_shards", lambda workers, corpus, shards: given_up(shards)
    )

    def given_up(shards):
        yield from ((shard, None) for shard in shards)

    result = annotate(tmp_path / "a.txt", tmp_path / "out")
    assert result.exit_code == 1 and "✘ 1 shards are missing: their processes" in result.output
    # No other batch size is advised, because it is a fixed setting of the corpus.
    assert "batch-size" not in result.output


def test_workers_load_the_pipeline_that_was_checked(annotate, pipeline, tmp_path, monkeypatch):
    """If a package and a folder have the same name, spaCy loads the package."""
    package = tmp_path / "site" / "xx_package"
    (package.with_name("xx_package-1.0.dist-info")).mkdir(parents=True)
    (package.with_name("xx_package-1.0.dist-info") / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: xx_package\nVersion: 1.0\n"
    )
    package.mkdir()
    (package / "__init__.py").write_text(
        "import spacy\n\ndef load(**options):\n"
        f"    return spacy.load({str(pipeline)!r}, **options)\n"
    )
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.chdir(tmp_path)
    Path("xx_package").mkdir()
    Path("a.txt").write_text("One.")
    result = annotate("a.txt", "out", model="xx_package")
    assert result.exit_code == 0, result.output
    small_pipeline(Path("folder"))
    result = annotate("a.txt", "out2", model="folder")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("text", "words_per_shard", "message"),
    [
        (f"{FAILING} 1.\n\n{FAILING} 2.", 10, "All 2 texts of shard 00000000 fail"),
        (f"{FAILING} 1.\n\n{FAILING} 2.", 1, "none of 2 texts could be annotated"),
    ],
)
def test_corpora_of_which_nothing_can_be_annotated(
    annotate, tmp_path, text, words_per_shard, message
):
    (tmp_path / "a.txt").write_text(text)
    for _ in range(2):
        result = annotate(
            tmp_path / "a.txt", tmp_path / "out", "--words-per-shard", words_per_shard
        )
        assert result.exit_code == 1 and message in result.output
        assert "Traceback" not in result.output and isinstance(result.exception, SystemExit)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.txt", "out", "--compress", "--format", "docbin"], "compressed already"),
        (["a.txt", "out", "--gpu-id", "0", "--workers", "2"], "Processes cannot share a GPU"),
        (["a.txt", "out", "--address", "auto"], "are for --executor ray"),
        (["a.txt", "out", "--gpus-per-worker", "0.5"], "are for --executor ray"),
        (["a.txt", "out", "--executor", "ray", "--gpu-id", "0"], "Ray chooses the GPUs"),
        (["a.txt", "a.txt"], "is not a folder"),
        (["-", "-", "out"], "is given twice"),
        (["b.txt", "out"], "no such file"),
        (["a.pdf", "out"], "Cannot read"),
        ([".", "out"], "Give a folder outside of it"),
        (["a.conllu", "out", "--lines"], "--lines is for text, but there is no .txt file"),
    ],
)
def test_wrong_arguments(annotate, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("One.")
    Path("a.pdf").touch()
    Path("a.conllu").touch()
    result = annotate(*arguments, input="")
    assert result.exit_code == 1 and message in result.output and "Traceback" not in result.output
    assert not Path("out").exists()


def test_shards_among_the_files_of_the_pipeline_are_refused(run, pipeline, tmp_path):
    """They would change its checksum, so that the corpus could not be continued."""
    model = shutil.copytree(pipeline, tmp_path / "model")
    (tmp_path / "a.txt").write_text("One.")
    for output in (model, model / "parsed"):
        result = run("annotate", model, tmp_path / "a.txt", output)
        assert result.exit_code == 1 and "in the folder of the pipeline" in result.output
    assert not (model / "parsed").exists() and not (model / "shards").exists()


def test_mismatches(annotate, tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    assert annotate(tmp_path / "a.txt", tmp_path / "out").exit_code == 0
    result = annotate(tmp_path / "a.txt", tmp_path / "out", "--lines")
    assert result.exit_code == 1 and "lines: False before, True now" in result.output


def test_deadly_texts_are_reported(annotate, tmp_path):
    (tmp_path / "a.txt").write_text(f"One.\n\n{DEADLY}.\n\nThree.")
    result = annotate(tmp_path / "a.txt", tmp_path / "out")
    assert result.exit_code == 0 and "1 texts could not be annotated" in result.output


@pytest.mark.parametrize(
    ("options", "module", "library"),
    [
        (["--executor", "ray"], "ray", "ray"),
        (["--format", "parquet"], "pyarrow", "pyarrow"),
        pytest.param(
            *(["--compress"], "backports", "backports.zstd"),
            marks=pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python has Zstandard"),
        ),
    ],
)
def test_libraries_that_are_missing_leave_nothing_behind(
    annotate, tmp_path, monkeypatch, options, module, library
):
    def missing(name):
        raise ModuleNotFoundError(name=module)

    monkeypatch.setattr(extras, "import_module", missing)
    (tmp_path / "a.txt").write_text("One.")
    result = annotate(tmp_path / "a.txt", tmp_path / "out", *options)
    assert result.exit_code == 1 and f"This needs {library}, which is not" in result.output
    assert not (tmp_path / "out").exists()


def test_folders_that_cannot_be_written_are_refused_as_files_are(annotate, run, dev, tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    target = tmp_path / "a.txt" / "out.conllu"
    said = [annotate(dev, target).output, run("parse", "model", dev, target).output]
    for message, name in zip(said, ["out.conllu/manifest.json", "out.conllu"], strict=True):
        assert f"{name}: cannot be written: Not a directory" in message


def test_reading_the_same_standard_input_does_not_stop_other_processes(annotate, tmp_path):
    class Stream(io.BytesIO):
        def read(self, size=-1):
            lock = claim(tmp_path / "out" / LOCKS / "plan")
            assert lock is not None
            lock.release()
            return super().read(size)

    assert annotate("-", tmp_path / "out", input="One.").exit_code == 0
    before = (tmp_path / "out" / "stdin.txt").stat()
    keep_stdin(Stream(b"One."), tmp_path / "out")
    assert (tmp_path / "out" / "stdin.txt").stat() == before
    with pytest.raises(FolderMismatchError, match="Standard input differs"):
        keep_stdin(Stream(b"Two."), tmp_path / "out")


def test_folders_of_which_nothing_has_been_annotated_are_used_again(annotate, tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    (tmp_path / "out" / "records").mkdir(parents=True)
    keep_stdin(io.BytesIO(b"Another text."), tmp_path / "out")
    assert annotate("-", tmp_path / "out", input="One.").exit_code == 0
    (tmp_path / "out" / "records" / "00000000.json").unlink()
    (tmp_path / "out" / "shards" / "00000000.conllu").unlink()
    assert annotate(tmp_path / "a.txt", tmp_path / "out", "--lines").exit_code == 0
    result = annotate(tmp_path / "a.txt", tmp_path / "out")
    assert result.exit_code == 1 and "lines: True before, False now" in result.output
