"""Installable pipelines: the project workflow `pipelines` with a few updates, and its wheels."""

import json
import shutil
import zipfile
from pathlib import Path

import in_process
import pytest
from fresh_venv import FreshVenv
from spacy.util import load_config
from tiny import write_part
from typer.testing import CliRunner
from weasel.cli.run import project_run

import spacy_npparse
from spacy_npparse.cli import app
from spacy_npparse.evaluation import score_sentences
from spacy_npparse.laboratory import config_path
from spacy_npparse.packaging import KINDS, Package
from spacy_npparse.packaging.wheel import try_wheel
from spacy_npparse.treebank import read_conllu

ROOT = Path(__file__).parents[2]
NAME = "got_sample_fast"
UPDATES = ("--updates", "3")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Make a project with a treebank in a language that spaCy does not support."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "project.yml", folder)
    treebank = folder / "assets" / "UD_Gothic-Sample"
    treebank.mkdir(parents=True)
    for part, n_sentences in (("train", 40), ("dev", 12), ("test", 10)):
        write_part(part, treebank / f"got_sample-ud-{part}.conllu", n_sentences)
    (treebank / "LICENSE.txt").write_text("Creative Commons BY-NC-SA 3.0\n")
    return folder


@pytest.fixture(autouse=True, scope="module")
def inline():
    """Train and build in this process. Only wheels are made and tried in subprocesses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "spacy_npparse.scaling.workers.ProcessPoolExecutor", in_process.InlineExecutor
        )
        patch.setattr("spacy_npparse.laboratory.pipeline.run_module", in_process.run_module)
        yield


@pytest.fixture(scope="module")
def made(project):
    """Run the workflow `pipelines` of the project, and return its output folder."""

    def run_command(command, capture=False):
        in_process.run_command([*command, *UPDATES])

    variables = {"vars.treebanks": "assets/UD_Gothic-Sample", "vars.kinds": "fast"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("weasel.cli.run.run_command", run_command)
        project_run(project, "pipelines", overrides=variables)
    return project / "training" / "pipelines"


@pytest.fixture
def again(project, made):
    """Return a function that runs the command again."""

    def run(*options):
        arguments = [project / "assets" / "UD_Gothic-Sample", made, "--kinds", "fast", *UPDATES]
        return CliRunner().invoke(app, ["pipelines", *map(str, arguments), *options])

    return run


def wheel_of(made):
    [wheel] = (made / "wheels").iterdir()
    return wheel


@pytest.mark.parametrize("kind", KINDS)
def test_packages_have_the_parsers_of_the_configs(kind):
    parser = load_config(config_path(kind))["components"]["parser"]
    assert parser["factory"] == f"{KINDS[kind]}_parser"


def test_the_wheel_says_what_it_is(made):
    with zipfile.ZipFile(wheel_of(made)) as wheel:
        folder = f"{NAME}/{NAME}-{spacy_npparse.__version__}"
        meta = json.loads(wheel.read(f"{folder}/meta.json"))
        config = wheel.read(f"{folder}/config.cfg").decode()
        card = wheel.read(f"{folder}/README.md").decode()
        assert wheel.read(f"{folder}/LICENSES_SOURCES") == b"Creative Commons BY-NC-SA 3.0\n"
        assert wheel.read(f"{folder}/{NAME}.svg").startswith(b"<svg")
    assert (meta["lang"], meta["name"], meta["license"]) == (
        "got",
        "sample_fast",
        "CC BY-NC-SA 3.0",
    )
    [source] = meta["sources"]
    assert source["language"] == "Gothic" and source["url"].endswith("/UD_Gothic-Sample")
    made_with = meta["spacy_npparse"]
    assert made_with["version"] == spacy_npparse.__version__ and made_with["updates"] == 3
    assert made_with["parser"] == "arc_hybrid_swap_parser"
    requirements = [one.partition(">=")[0] for one in meta["requirements"]]
    assert requirements == ["spacy-npparse", "spacy"]
    assert meta["description"].startswith("Tokens, tags, lemmas and dependency trees, ")
    assert 'lang = "xx"' in config and "UD_Gothic-Sample" not in config
    # The card has the same scores of the test part as meta.json, in the format of `evaluate`.
    performance = meta["performance"]
    assert performance["file"] == "got_sample-ud-test.conllu"
    for given in ("plain_text", "gold_tokens"):
        words = performance[given]["official"]["Words"]
        assert words["gold"] == performance["gold_tokens"]["official"]["Words"]["correct"] > 0
    las = [performance[given]["official"]["LAS"]["f1"] for given in ("plain_text", "gold_tokens")]
    assert f"| LAS | {100 * las[0]:.2f} | {100 * las[1]:.2f} |" in card
    # The treebank has no XPOS.
    assert "| XPOS |" not in card
    assert card == (made / "cards" / f"{NAME}.md").read_text(encoding="utf-8")


DEV = "assets/UD_Gothic-Sample/got_sample-ud-dev.conllu"


def test_it_is_installed_and_loaded_from_an_empty_folder(made, tmp_path):
    environment = FreshVenv(tmp_path / "venv", visible=[ROOT])
    pip = ("python", "-m", "pip", "--quiet", "install", "--no-index")
    environment.run(*pip, wheel_of(made), cwd=tmp_path)
    code = (
        f"import spacy; nlp = spacy.load('{NAME}'); doc = nlp('Was glaubt der Arzt?'); "
        "print(nlp.meta['lang'], nlp.lang, len(doc), doc.has_annotation('DEP'))"
    )
    output = environment.run("python", "-c", code, cwd=tmp_path).stdout
    assert output.splitlines()[-1] == "got xx 5 True"
    assert "another encoder" not in output


def test_what_is_finished_is_not_done_again(again, made):
    before = wheel_of(made).stat().st_mtime_ns
    result = again()
    assert result.exit_code == 0, result.output
    assert "0 runs to do" in result.stderr and "0 packages to build" in result.stderr
    assert wheel_of(made).stat().st_mtime_ns == before
    index = (made / "index.md").read_text(encoding="utf-8")
    assert f"[{NAME}](cards/{NAME}.md) | Gothic | UD_Gothic-Sample | CC BY-NC-SA 3.0 |" in index
    assert f"(wheels/{wheel_of(made).name})" in index


def test_damaged_wheels_are_built_again_and_failures_told(again, made, monkeypatch):
    wheel = wheel_of(made)
    content = wheel.read_bytes()
    wheel.write_bytes(content[:-1])
    monkeypatch.setattr(Package, "complete", lambda self: "no such luck")
    result = again()
    wheel.write_bytes(content)
    assert result.exit_code == 1
    assert "1 packages to build" in result.stderr and f"✘ {NAME}: no such luck" in result.stderr


def test_a_package_of_another_model_is_built_again(again, made, monkeypatch):
    record = made / "cards" / f"{NAME}.json"
    content = record.read_text(encoding="utf-8")
    known = json.loads(content)
    known["made_from"]["run"] = "that of another training"
    record.write_text(json.dumps(known), encoding="utf-8")
    monkeypatch.setattr(Package, "complete", lambda self: "")
    result = again()
    record.write_text(content, encoding="utf-8")
    assert "1 packages to build" in result.stderr


def test_an_index_that_cannot_be_written_is_noticed_first(again, made):
    index = made / "index.md"
    content = index.read_bytes()
    index.unlink()
    index.mkdir()
    result = again()
    index.rmdir()
    index.write_bytes(content)
    assert "index.md" in result.stderr and "runs to do" not in result.stderr


@pytest.mark.parametrize("changed", ["card", "picture", "licence"])
def test_a_package_with_other_files_is_built_again(again, project, made, monkeypatch, changed):
    path = {
        "card": made / "cards" / f"{NAME}.md",
        "picture": made / "cards" / f"{NAME}.svg",
        "licence": project / "assets" / "UD_Gothic-Sample" / "LICENSE.txt",
    }[changed]
    content = path.read_bytes()
    path.write_text("CC BY 4.0")
    monkeypatch.setattr(Package, "complete", lambda self: "")
    result = again()
    path.write_bytes(content)
    assert "1 packages to build" in result.stderr


def zero(nlp):
    """Set all weights to zero, so that trees change."""
    for layer in nlp.get_pipe("parser").model.walk():
        for shim in layer.shims:
            for parameter in shim.net.parameters():
                parameter.data.zero_()


def test_half_precision_changes_no_tree(again, made, monkeypatch):
    n_words = sum(len(one.words) for one in read_conllu(made.parents[1] / DEV))
    card, record = (made / "cards" / f"{NAME}.{suffix}" for suffix in ("md", "json"))
    performances = []
    # Other tests install the wheel.
    monkeypatch.setattr("spacy_npparse.packaging.build.try_wheel", lambda *_: None)
    for rounding, precision, reason in (
        (lambda nlp: None, "half", "All {:,} words of the dev file get the same head"),
        (zero, "single", " of the {:,} words of the dev file would get another head"),
    ):
        wheel_of(made).unlink()
        monkeypatch.setattr("spacy_npparse.packaging.build.round_to_half", rounding)
        result = again()
        assert result.exit_code == 0, result.output
        meta = json.loads(record.read_text(encoding="utf-8"))["meta"]
        assert meta["spacy_npparse"]["precision"] == precision
        assert reason.format(n_words) in card.read_text(encoding="utf-8")
        performances.append(meta["performance"])
    assert performances[0] == performances[1]


def test_a_wheel_with_other_scores_is_refused(project, made, tmp_path):
    gold = (project / DEV).absolute()
    sentences = list(read_conllu(gold))
    perfect = score_sentences(sentences, sentences)
    with pytest.raises(ValueError, match="LAS from plain text, but had 100.00%"):
        try_wheel(wheel_of(made), NAME, gold, perfect, tmp_path)


def test_errors(again, project, made, tmp_path):
    result = again("--kinds", "best")
    assert result.exit_code == 1 and '--kinds is "best"' in result.stderr
    other = tmp_path / "UD_Other"
    shutil.copytree(project / "assets" / "UD_Gothic-Sample", other)
    arguments = [project / "assets" / "UD_Gothic-Sample", other, tmp_path / "out"]
    result = CliRunner().invoke(app, ["pipelines", *map(str, arguments)])
    assert result.exit_code == 1
    assert "two treebanks have the same language and name" in result.stderr
    # This error precedes any training.
    (other / "got_sample-ud-test.conllu").write_text("1\tx\n\n")
    result = CliRunner().invoke(app, ["pipelines", *map(str, arguments[1:])])
    assert result.exit_code == 1 and "got_sample-ud-test.conllu, line 1" in result.stderr
    assert not (tmp_path / "out").exists()
