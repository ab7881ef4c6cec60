"""Tests of the command `derive`."""

import json
from itertools import islice

import pytest
import spacy
from spacy.util import fix_random_seed

from spacy_npparse.systems import get_transition_system, transition_systems
from spacy_npparse.treebank import ConlluCorpus, read_conllu, sentence_derivation
from spacy_npparse.treebank.rows import with_comments
from spacy_npparse.visualisation.derivations.notes import quoted


@pytest.fixture(scope="session")
def crossing(dev):
    """Return the number of the first sentence that the projective `arc_hybrid` cannot derive."""
    system = get_transition_system("arc_hybrid")
    for number, sentence in enumerate(read_conllu(dev), 1):
        try:
            system.oracle("static", sentence.heads).derivation()
        except ValueError:
            return number


def test_table(run, dev):
    result = run("derive", dev)
    assert result.exit_code == 0, result.output
    lines = result.output.split("\n")
    assert lines[0].startswith("arc_hybrid_swap: the static oracle's derivation · 16 words")
    assert lines[1].startswith("projective order: Die Nachricht")
    transitions = sentence_derivation(next(read_conllu(dev))).transitions
    assert [line.split(" | ")[3].split()[0] for line in lines[5 : 5 + len(transitions)]] == list(
        transitions
    )


@pytest.mark.parametrize("system", sorted(transition_systems.get_all()))
def test_every_system_and_oracle(run, dev, system):
    for oracle in get_transition_system(system).oracles:
        result = run("derive", dev, "--system", system, "--oracle", oracle)
        assert result.exit_code == 0, result.output
        assert result.output.startswith(f"{system}: the {oracle} oracle's derivation")


def test_sentences_by_number_and_id(run, dev):
    sentences = list(read_conllu(dev))
    wanted = next(c for c in sentences[6].comments if "sent_id" in c).split("=")[1].strip()
    assert not wanted.isdigit()
    by_number, by_id = (run("derive", dev, "--sentence", key).output for key in ("7", wanted))
    assert by_number == by_id != run("derive", dev).output
    result = run("derive", dev, "--sentence", "121")
    assert result.exit_code == 1
    assert f"{dev}: no sentence '121' among 120 sentences. Give a number from 1" in result.output


def test_the_number_goes_before_the_id(run, dev, tmp_path):
    path = tmp_path / "renumbered.conllu"
    sentences = [with_comments(s, {"sent_id": str(n)}) for n, s in enumerate(read_conllu(dev), 2)]
    path.write_text("".join(f"{sentence}\n\n" for sentence in sentences[:3]))
    shown = [run("derive", path, "--sentence", number).output for number in "1234"]
    assert len({*shown[:3]}) == 3 and shown[3] == shown[2]


def test_page(run, dev, crossing, tmp_path):
    path = tmp_path / "new" / "page.html"
    result = run("derive", dev, "--sentence", crossing, "--html", path)
    assert result.exit_code == 0, result.output
    assert result.stdout == "" and f"{path}: " in result.stderr and "transitions" in result.stderr
    assert "Derivation: arc_hybrid_swap" in path.read_text(encoding="utf-8")
    assert list(path.parent.iterdir()) == [path]


def test_a_model_with_costs(run, dev, model):
    result = run("derive", dev, "--sentence", 3, "--model", model)
    assert result.exit_code == 0, result.output
    assert "arc_hybrid_swap: found by greedy search · 11 words" in result.output
    assert "costs of the static-dynamic oracle" in result.output and " % (0)" in result.output
    result = run("derive", dev, "--sentence", 3, "--model", model, "--oracle", "dynamic")
    assert "costs of the dynamic oracle" in result.output


def test_a_model_builds_what_it_parses(run, dev, model, tmp_path):
    parsed = tmp_path / "parsed.conllu"
    assert run("parse", model, dev, parsed).exit_code == 0
    sentence = list(read_conllu(parsed))[2]
    output = run("derive", dev, "--sentence", 3, "--model", model).output
    for word, head in zip(sentence.words, sentence.heads[1:], strict=True):
        source = sentence.words[head - 1].form if head else "ROOT"
        assert f"{quoted(source)} → {quoted(word.form)}" in output


def test_text(run, model, tmp_path):
    path, parsed = tmp_path / "in.txt", tmp_path / "parsed.conllu"
    path.write_text("Die Frau schläft.\n\nWas glaubt der Arzt?\n")
    assert run("parse", model, path, parsed).exit_code == 0
    sentences = list(read_conllu(parsed))
    for number, sentence in enumerate(sentences, 1):
        result = run("derive", path, "--model", model, "--sentence", number)
        assert result.exit_code == 0, result.output
        assert " ".join(word.form for word in sentence.words) in result.output
        assert "cost" not in result.output
    result = run("derive", path, "--model", model, "--sentence", "s9")
    assert result.exit_code == 1
    assert f"no sentence 's9' among {len(sentences)} sentences" in result.output
    result = run("derive", "-", "--model", model, input="Schläft\n")
    assert result.exit_code == 0 and "1 word · 2 transitions" in result.output


def test_sentences_without_trees(run, model, tmp_path):
    path = tmp_path / "bare.conllu"
    path.write_text("".join(f"{i}\t{form}" + "\t_" * 8 + "\n" for i, form in ((1, "a"), (2, "b"))))
    result = run("derive", path, "--model", model)
    assert (
        result.exit_code == 0 and "2 words" in result.output and "heads right" not in result.output
    )


def test_trees_that_a_system_cannot_build(run, dev, crossing):
    result = run("derive", dev, "--sentence", crossing, "--system", "arc_hybrid")
    assert result.exit_code == 1
    assert "arc_hybrid has no derivation for the tree" in result.output
    others = result.output.rsplit(": ", 1)[1]
    assert "covington" in others and "arc_standard," not in others
    options = ("--system", "arc_hybrid", "--oracle", "dynamic")
    result = run("derive", dev, "--sentence", crossing, *options)
    assert result.exit_code == 0, result.output


def test_parsers_without_derivations(run, dev, tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe("mst_parser", name="parser", config={"model": {"tok2vec": {"width": 16}}})
    nlp.initialize(lambda: list(ConlluCorpus(dev, limit=5)(nlp)))
    nlp.to_disk(tmp_path / "mst")
    result = run("derive", dev, "--model", tmp_path / "mst")
    assert result.exit_code == 1 and "mst_parser finds trees without transitions" in result.output
    nlp = spacy.blank("xx")
    nlp.add_pipe("parser").add_label("x")
    nlp.initialize()
    nlp.to_disk(tmp_path / "spacy")
    result = run("derive", dev, "--model", tmp_path / "spacy")
    assert result.exit_code == 1 and "its parser has no derivations" in result.output


def test_bad_arguments(run, model, dev, tmp_path):
    text, empty = tmp_path / "in.txt", tmp_path / "empty.conllu"
    text.write_text("Ja.\n")
    empty.write_text("1\tJa" + 8 * "\t_" + "\n\n")
    for arguments, message in [
        ((empty,), f"{empty}: no word with a head"),
        ((text,), f"{text} has no gold trees to derive. Give a .conllu file, or a --model."),
        ((dev, "--system", "swap"), "no transition system 'swap'; choose one of: arc_eager"),
        ((dev, "--oracle", "eager"), "has no oracle 'eager'; choose one of: static"),
        ((dev, "--model", model, "--system", "covington"), "Give --system or --model, not both"),
        ((dev, "--model", model, "--oracle", "eager"), "has no oracle 'eager'"),
        ((dev, "--model", tmp_path), "cannot be loaded"),
        ((text, "--model", model, "--oracle", "eager"), "--oracle is for costs"),
        ((dev, "--treebank", "xx"), "Give --model with it"),
        ((tmp_path / "no.conllu",), "no such file"),
        ((tmp_path / "in.pdf", "--model", model), "Give a .conllu file, a .txt file, or -"),
    ]:
        result = run("derive", *arguments)
        assert result.exit_code == 1 and message.lower() in result.output.lower(), result.output
        assert "Traceback" not in result.output


def test_repairs(run, dev, tmp_path):
    fix_random_seed(0)
    nlp = spacy.blank("xx")
    nlp.add_pipe(
        "nonmonotonic_arc_eager_parser", name="parser", config={"model": {"tok2vec": {"width": 16}}}
    )
    corpus = ConlluCorpus(dev, sentences_per_doc=3, limit=20)
    nlp.initialize(lambda: corpus(nlp))
    nlp.to_disk(tmp_path / "model")
    few = tmp_path / "few.conllu"
    sentences = list(islice(read_conllu(dev), 5))
    few.write_text("".join(f"{sentence}\n\n" for sentence in sentences), encoding="utf-8")
    options = ("--model", tmp_path / "model", "--repairs")
    result = run("derive", few, *options, "--json", tmp_path / "repairs.json")
    assert result.exit_code == 0, result.output
    words = sum(len(sentence.words) for sentence in sentences)
    assert f"repairs in the derivations of 5 sentences with {words} words" in result.stdout
    counts = json.loads((tmp_path / "repairs.json").read_text(encoding="utf-8"))
    assert counts["system"] == "nonmonotonic_arc_eager" and counts["words"] == words
    outcomes = ("wrong_to_right", "right_to_wrong", "wrong_to_wrong")
    n_repairs = sum(repair[name] for repair in counts["repairs"] for name in outcomes)
    # An untrained parser makes some repairs.
    assert n_repairs > 0 and f": {n_repairs} repairs" in result.stdout
    bare = tmp_path / "bare.conllu"
    bare.write_text("1\ta" + "\t_" * 8 + "\n\n")
    for source, extra, message in [
        (bare, (), "there is no gold tree"),
        (few, ("--sentence", 1), "Combine it only with --json"),
        (tmp_path / "text.txt", (), "Give --model and a .conllu file"),
    ]:
        result = run("derive", source, *options, *extra)
        assert result.exit_code == 1 and message in result.output
    result = run("derive", few, "--json", tmp_path / "repairs.json")
    assert result.exit_code == 1 and "--json is for counts" in result.output
