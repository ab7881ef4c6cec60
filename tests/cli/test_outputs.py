"""Tests of output files: allowed paths, early checks, and the files after errors and signals."""

import errno
import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from spacy.tokens import DocBin

from spacy_npparse.cli import app

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX files")
PROGRAM = [sys.executable, "-m", "spacy_npparse"]
# The arguments of each command that names a file to write. {out} is that file.
WRITERS = {
    ("calibrate", "html"): "{model} {gold} {other}.html --html {out}",
    ("calibrate", "json_path"): "{model} {gold} {other}.json --json {out}",
    ("compare", "json_path"): "{gold} {a} {b} --json {out}",
    ("compare", "html"): "{gold} {a} {b} --html {out}",
    ("convert", "target"): "{gold} {out}",
    ("derive", "html"): "{gold} --html {out}",
    ("derive", "json_path"): "{gold} --model {model} --repairs --json {out}",
    ("evaluate", "json_path"): "{model} {gold} --json {out}",
    ("evaluate", "output"): "{model} {gold} --output {out}",
    ("init-config", "target"): "{out} --force --code {code}",
    ("parse", "target"): "{model} {gold} {out}",
    ("parse", "html"): "{model} {gold} {other} --html {out}",
    ("score", "json_path"): "{gold} {a} --json {out}",
    ("select", "output"): "{model} {gold} {out}",
    ("statistics", "json_path"): "{gold} --json {out}",
    ("statistics", "html"): "{gold} --html {out}",
}
# These arguments name a folder, or an input file to change, and have their own tests.
FOLDERS = {
    ("annotate", "output"),
    ("calibrate", "output"),
    ("learn-rules", "output"),
    ("check", "output"),
    ("leaderboard", "output"),
    ("pipelines", "output"),
    ("prepare", "output"),
    ("serve", "edit"),
    ("sweep", "output"),
}
READ = {
    *(
        "also_train",
        "code",
        "config",
        "dev",
        "encoder",
        "files",
        "folder",
        "folders",
        "gold",
        "model",
    ),
    *("predicted", "source", "test", "texts", "train", "treebank", "treebanks"),
}


@pytest.fixture
def arguments(dev, model, tmp_path):
    """Write the input files, and return a function that returns the arguments of a command."""
    paths = {"model": model, "other": tmp_path / "other.conllu", "code": tmp_path / "code.py"}
    paths["code"].write_text("# Nothing is registered.\n")
    for name in ("gold", "a", "b"):
        paths[name] = tmp_path / f"{name}.conllu"
        paths[name].write_bytes(dev.read_bytes())

    def fill_in(writer, out, **changed):
        words = WRITERS[writer].split()
        return [writer[0], *(word.format(**paths | changed, out=out) for word in words)]

    return fill_in


def test_every_file_that_a_command_writes_is_among_these():
    files = set()
    for command in app.registered_commands:
        name = command.name or command.callback.__name__.replace("_", "-")
        for parameter, kind in get_type_hints(command.callback).items():
            if Path in (kind, *get_args(kind)) and parameter not in READ:
                files.add((name, parameter))
    assert files == WRITERS.keys() | FOLDERS


@posix
@pytest.mark.parametrize("writer", WRITERS, ids="-".join)
@pytest.mark.parametrize("link", ["symbolic", "hard", "none"])
def test_no_input_is_overwritten(run, arguments, tmp_path, writer, link):
    source = tmp_path / ("code.py" if writer[0] == "init-config" else "gold.conllu")
    before = source.read_bytes()
    out = source if link == "none" else tmp_path / "link.conllu"
    if link == "symbolic":
        out.symlink_to(source)
    elif link == "hard":
        os.link(source, out)
    result = run(*arguments(writer, out))
    assert result.exit_code == 1, result.output
    assert f"{out} would overwrite {source}, which this command reads" in result.output
    assert source.read_bytes() == before


@pytest.mark.parametrize("writer", WRITERS, ids="-".join)
def test_outputs_are_checked_before_inputs_are_read(run, arguments, tmp_path, writer):
    file = tmp_path / "file"
    file.touch()
    missing = dict.fromkeys(("gold", "a", "b"), tmp_path / "missing.conllu")
    if writer[0] == "compare":
        # `compare` needs two parsers.
        missing["b"] = tmp_path / "missing2.conllu"
    for out in (file / "out.conllu", tmp_path / "folder.conllu"):
        (tmp_path / "folder.conllu").mkdir(exist_ok=True)
        result = run(*arguments(writer, out, **missing))
        assert result.exit_code == 1 and "Traceback" not in result.output
        reason = "Not a directory" if out.parent == file else "Is a directory"
        if (writer[0], out.parent) != ("init-config", file):
            assert f"✘ {out}: cannot be written: {reason}. Give another" in result.output
    assert file.read_bytes() == b"" and not (tmp_path / "other.conllu").exists()


@pytest.mark.parametrize(
    ("writer", "option"),
    [
        (("compare", "html"), "--json"),
        (("evaluate", "output"), "--json"),
        (("parse", "target"), "--html"),
        (("statistics", "html"), "--json"),
    ],
)
def test_no_output_is_overwritten_by_another(run, arguments, tmp_path, writer, option):
    out = tmp_path / "out.conllu"
    again = tmp_path / "folder" / ".." / "out.conllu"
    (tmp_path / "folder").mkdir()
    result = run(*arguments(writer, out), option, again)
    assert result.exit_code == 1 and "are one file. Give each output" in result.output
    assert not out.exists()


def test_a_pipeline_is_an_input(run, arguments, model):
    for name in ("config.cfg", "meta.json", "parser/cfg"):
        before = (model / name).read_bytes()
        result = run(*arguments(("evaluate", "json_path"), model / name))
        assert result.exit_code == 1 and "which this command reads" in result.output
        assert (model / name).read_bytes() == before


def test_scores_may_be_kept_beside_a_pipeline(run, arguments, model):
    for _ in range(2):
        result = run(*arguments(("evaluate", "json_path"), model / "scores.json"))
        assert result.exit_code == 0, result.output
    (model / "scores.json").unlink()


def test_prepare(run, tmp_path, dev):
    folder, out = tmp_path / "UD_Test", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    for part in ("train", "dev"):
        (folder / f"xx-ud-{part}.conllu").write_bytes(dev.read_bytes())
    (out / "train.conllu").symlink_to(folder / "xx-ud-train.conllu")
    result = run("prepare", folder, out)
    assert result.exit_code == 1 and "train.conllu would overwrite" in result.output
    (out / "train.conllu").unlink()
    (out / "dev.conllu").mkdir()
    result = run("prepare", folder, out)
    assert result.exit_code == 1 and f"{out / 'dev.conllu'}: cannot be written" in result.output
    assert [path.name for path in out.iterdir()] == ["dev.conllu"]
    assert (folder / "xx-ud-train.conllu").read_bytes() == dev.read_bytes()


def test_leaderboard(run, tmp_path, dev):
    out = tmp_path / "board"
    arguments = ("leaderboard", dev, dev, out, "--parsers", "mh4")
    out.touch()
    result = run(*arguments)
    assert result.exit_code == 1 and "html: cannot be written: Not a directory" in result.output
    out.unlink()
    (out / f"leaderboard-{dev.stem}.json").mkdir(parents=True)
    result = run(*arguments)
    assert result.exit_code == 1 and "json: cannot be written: Is a directory" in result.output
    assert len(list(out.iterdir())) == 1


@posix
def test_links_and_modes(run, arguments, tmp_path):
    target, link = tmp_path / "data" / "scores.json", tmp_path / "scores.json"
    target.parent.mkdir()
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to("data/scores.json")
    assert run(*arguments(("score", "json_path"), link)).exit_code == 0
    assert os.readlink(link) == "data/scores.json" and json.loads(target.read_text())
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert list(target.parent.iterdir()) == [target]


@posix
def test_pipes_and_devices_need_no_suffix(run, arguments, tmp_path):
    def piped(*writer):
        reading, writing = os.pipe()
        result = run(*arguments(writer, f"/dev/fd/{writing}"))
        os.close(writing)
        assert result.exit_code == 0, result.output
        with os.fdopen(reading, "rb") as file:
            return file.read()

    # The file is short, because a pipe that is not being read holds little.
    (tmp_path / "gold.conllu").write_text("1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert piped("parse", "target").startswith(b"1\tGo\t_")
    assert piped("evaluate", "output").startswith(b"1\tGo\t_")
    binary = piped("convert", "target")
    assert len(DocBin().from_bytes(binary)) == 1
    assert piped("init-config", "target").startswith(b"[paths]")
    for writer in WRITERS.keys() - {("compare", "json_path"), ("compare", "html")}:
        assert "Give OUT a name" not in run(*arguments(writer, "/dev/null")).output
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@posix
def test_standard_output_and_process_substitution(arguments, tmp_path):
    command = arguments(("statistics", "json_path"), "/dev/stdout")
    reading, writing = os.pipe()
    command += ["--html", f"/dev/fd/{writing}"]
    with subprocess.Popen([*PROGRAM, *command], stdout=subprocess.PIPE, pass_fds=[writing]) as ours:
        os.close(writing)
        with os.fdopen(reading, "rb") as page:
            assert b"</html>" in page.read()
        table, brace, found = ours.stdout.read().decode().partition("\n{\n")
    assert ours.returncode == 0 and "mh4" in table and json.loads(brace + found)["provenance"]
    assert not os.path.exists("/dev/stdout") or os.path.islink("/dev/stdout")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_full_disk_is_named(run, arguments, tmp_path):
    for writer in WRITERS.keys() - {("compare", "json_path"), ("compare", "html")}:
        result = run(*arguments(writer, "/dev/full"))
        assert result.exit_code == 1, writer
        assert "✘ /dev/full: cannot be written: No space left on device" in result.output, writer


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_files_are_written_even_if_standard_output_is_not(arguments, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)  # As `| head` does after some lines.
    (tmp_path / "gold.conllu").write_text("1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    begun = {}
    for name, stdout in {"full": os.open("/dev/full", os.O_WRONLY), "closed": writing}.items():
        command = arguments(("score", "json_path"), tmp_path / name, a=tmp_path / "gold.conllu")
        begun[name] = subprocess.Popen(
            [*PROGRAM, *command], stdout=stdout, stderr=subprocess.PIPE, text=True
        )
        os.close(stdout)
    said = {name: program.communicate()[1] for name, program in begun.items()}
    assert {name: program.returncode for name, program in begun.items()} == {"full": 1, "closed": 1}
    assert said["closed"] == ""
    assert said["full"] == (
        "✘ standard output: cannot be written: No space left on device. Free some space, or give "
        "a file on another disk.\n"
    )
    assert all(json.loads((tmp_path / name).read_text())["official"] for name in begun)


@posix
def test_a_pipe_that_nobody_reads_needs_no_message(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    command = arguments(("statistics", "json_path"), f"/dev/fd/{writing}")
    done = subprocess.run([*PROGRAM, *command], capture_output=True, text=True, pass_fds=[writing])
    os.close(writing)
    assert done.returncode == 1 and "cannot be written" not in done.stderr, done.stderr


SLOW = """
import time
from spacy.language import Language

pipe = Language.pipe

def slow_pipe(self, *arguments, **options):
    for doc in pipe(self, *arguments, **options):
        yield doc
        time.sleep(100)

Language.pipe = slow_pipe
"""


@posix
def test_a_terminated_command_leaves_nothing(arguments, tmp_path):
    code = tmp_path / "slow.py"
    code.write_text(SLOW)
    out = tmp_path / "folder" / "out.conllu"
    out.parent.mkdir()
    out.write_text("old")
    command = [*arguments(("parse", "target"), out), "--batch-size", "1", "--code", str(code)]
    with subprocess.Popen([*PROGRAM, *command], stderr=subprocess.PIPE) as program:
        while len(list(out.parent.iterdir())) < 2 and program.poll() is None:
            time.sleep(0.05)
        program.terminate()
        assert program.stderr.read() == b""
    assert program.returncode == -signal.SIGTERM
    assert list(out.parent.iterdir()) == [out] and out.read_text() == "old"


@posix
@pytest.mark.parametrize("command", ["statistics {odd}", "convert {gold} {odd}"])
def test_names_are_valid_utf8(run, dev, tmp_path, command):
    """Python represents the bytes of other names by surrogates."""
    odd = tmp_path / os.fsdecode(b"\xff.conllu")
    result = run(*command.format(odd=odd, gold=dev).split())
    assert result.exit_code == 1 and "not valid UTF-8" in result.output
    assert not list(tmp_path.iterdir())


def test_full_temporary_folders_are_named(run, model, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("shutil.copyfileobj", fail)
    result = run("parse", model, "-", tmp_path / "out.conllu", input="Peter singt.")
    assert result.exit_code == 1 and "set TMPDIR to another folder" in result.output
