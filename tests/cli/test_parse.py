"""Tests of the command `parse`."""

import os
import random
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from statistics import fmean

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_npparse.annotation.silver import ConfidentSentences
from spacy_npparse.scaling import bounds
from spacy_npparse.treebank import (
    ConlluCorpus,
    doc_from_sentences,
    parse_sentence,
    raw_texts,
    read_conllu,
    sentences_from_doc,
    without_annotation,
)
from spacy_npparse.treebank.head_distributions import DISTRIBUTIONS_KEY
from spacy_npparse.trees.head_distributions import HeadDistributions

TEXT = "Die Frau schläft.\n\n   \nWas glaubt der Arzt?\nDer Arzt\nschläft.\n"


def blanked(conllu):
    """Replace LEMMA, UPOS, XPOS, FEATS, HEAD and DEPREL of all words with `_`."""
    lines = []
    for line in conllu.split("\n"):
        columns = line.split("\t")
        if columns[0].isdigit():
            columns[2:8] = ["_"] * 6
        lines.append("\t".join(columns))
    return "\n".join(lines)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes(TEXT.encode())
    return path


def test_conllu_gives_its_tokens(run, model, dev, tmp_path):
    output = tmp_path / "out.conllu"
    result = run("parse", model, dev, output)
    assert result.exit_code == 0, result.output
    assert "120 sentences, 1,490 words in" in result.output and "words/s)" in result.output
    parsed, gold = list(read_conllu(output)), list(read_conllu(dev))
    assert [without_annotation(s) for s in parsed] == [without_annotation(s) for s in gold]
    heads = [word.head for sentence in parsed for word in sentence.words]
    assert "_" not in heads and heads.count("0") == 120


ANNOTATED = """\
# newdoc id = d
# sent_id = s-1
# speaker = A
# text = vámonos al
# text_en = let's go
1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\tGloss=go
1\tvamos\tir\tVERB\tV\tMood=Imp\t0\troot\t0:root|3.1:dep\tSpaceAfter=No|Gloss=x
2\tnos\t_\tFOO\t_\tNumber=Plur\t1\tobj\t1:obj\t_
3\ta\ta\tADP\tP\t_\t1\tcase\t1:case\tSpacesAfter=\\s\\s
3.1\tla\tel\tDET\t_\t_\t_\t_\t1:det\t_

"""
# The message about the columns and comments of ANNOTATED that are not written.
NOT_WRITTEN = (
    "{}: not written: DEPS of 3 lines, FEATS of 2 lines, LEMMA of 2 lines, MISC of 2 lines, "
    "UPOS of 3 lines, XPOS of 2 lines, comments: 2, empty nodes: 1; see --keep"
)
ALL = ("LEMMA", "UPOS", "XPOS", "FEATS", "DEPS", "MISC", "comments")


def test_nothing_gold_survives_unless_it_is_kept(run, model, tmp_path):
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(ANNOTATED)
    said = {}

    def parsed(*columns):
        keep = [word for column in columns for word in ("--keep", column)]
        result = run("parse", model, source, output, *keep)
        assert result.exit_code == 0, result.output
        said[columns] = result.output
        comments, rows = [], []
        for line in output.read_text().strip().split("\n"):
            columns = line.split("\t")
            columns[6:8] = []
            (comments if line.startswith("#") else rows).append(" ".join(columns))
        return comments, rows

    comments, rows = parsed()
    assert comments == ["# newdoc id = d", "# sent_id = s-1", "# text = vámonos al"]
    assert rows == [
        "1-2 vámonos _ _ _ _ _ _",
        "1 vamos _ _ _ _ _ SpaceAfter=No",
        "2 nos _ _ _ _ _ _",
        "3 a _ _ _ _ _ SpacesAfter=\\s\\s",
    ]
    given = [line.split("\t") for line in ANNOTATED.strip().split("\n")]
    for column, place in (("LEMMA", 2), ("upos", 3), ("XPOS", 4), ("FEATS", 5), ("MISC", 7)):
        words = [row.split() for row in parsed(column)[1]]
        gold = [row for row in given[5:] if "." not in row[0]]
        assert [row[place] for row in words] == [row[9 if place == 7 else place] for row in gold]
        assert all(row[i] == "_" for row in words for i in range(2, 7) if i != place)
    assert parsed("DEPS")[1][1].split()[6] == "0:root|3.1:dep"
    assert parsed("DEPS")[1][-1].startswith("3.1 la el DET")
    assert parsed("comments")[0] == [row[0] for row in given[:5]]
    assert NOT_WRITTEN.format(source) in said[()] and "FEATS of" not in said[("FEATS",)]
    assert "empty nodes" in said[("MISC",)] and "empty nodes" not in said[("DEPS",)]
    everything = parsed(*ALL)
    assert [*everything[0], *everything[1]] == [" ".join(r[:6] + r[8:]) for r in given]
    assert [text for text in said.values() if "not written" not in text] == [said[ALL]]


def partial(conllu, rng):
    """Replace a random half of the HEADs and DEPRELs with `_`."""
    lines = []
    for line in conllu.split("\n"):
        columns = line.split("\t")
        if columns[0].isdigit():
            for column in (6, 7):
                columns[column] = "_" if rng.random() < 0.5 else columns[column]
        lines.append("\t".join(columns))
    return "\n".join(lines)


def test_partial_trees_are_completed(run, model, train, tmp_path):
    gold = "\n\n".join(train.read_text().split("\n\n")[:20]) + "\n\n"
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(partial(gold, random.Random(0)))
    result = run("parse", model, source, output, "--complete")
    assert result.exit_code == 0, result.output
    n_found = 0
    for before, after in zip(
        source.read_text().split("\n"), output.read_text().split("\n"), strict=True
    ):
        columns, completed = before.split("\t"), after.split("\t")
        for place, (old, new) in enumerate(zip(columns, completed, strict=True)):
            if place in (6, 7) and old == "_" and columns[0].isdigit():
                assert new != "_"
                n_found += 1
            else:
                assert new == old
    assert n_found > 100
    # Complete trees stay the same.
    again = tmp_path / "again.conllu"
    assert run("parse", model, output, again, "--complete").exit_code == 0
    assert again.read_bytes() == output.read_bytes()
    source.write_text(gold)
    assert run("parse", model, source, output, "--complete").exit_code == 0
    assert output.read_text() == gold


@pytest.mark.parametrize("options", [(), ("--min-confidence", "0"), ("--n-process", "2")])
def test_complete_trees_may_have_tokens_that_cannot_be_cut(run, model, tmp_path, options):
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(ANNOTATED.replace("vámonos\t", "x\t").replace("vámonos al", "x al"))
    result = run("parse", model, source, output, "--complete", *options)
    assert result.exit_code == 0, result.output
    written = output.read_text().splitlines()
    assert [
        line for line in written if "# confidence" not in line
    ] == source.read_text().splitlines()


def test_labels_of_roots_on_other_words_are_kept(run, model, tmp_path):
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    rows = ["1\ta\t_\t_\t_\t_\t2\troot\t_\t_", "2\tb\t_\t_\t_\t_\t0\troot\t_\t_"]
    source.write_text("\n".join(["# text = a b", *rows, "", ""]))
    result = run("parse", model, source, output, "--complete")
    assert result.exit_code == 0, result.output
    assert [line for line in output.read_text().splitlines() if "\t" in line] == rows


@pytest.mark.parametrize("label", ["Pred", "case", "ROOT"])
def test_roots_keep_the_labels_of_their_treebank(run, model, tmp_path, label):
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(ANNOTATED.replace("\t0\troot\t", f"\t0\t{label}\t"))
    result = run("parse", model, source, output, "--complete")
    assert result.exit_code == 0, result.output
    # The label ROOT is that of UD's roots.
    assert f"\t0\t{'root' if label == 'ROOT' else label}\t" in output.read_text()


def test_trees_that_cannot_be_completed_are_named(run, model, tmp_path):
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    for change, named in [
        (("\t1\tobj\t", "\t0\tobj\t"), "the head of 'nos' (token 1) is the root"),
        (("\t1\tcase\t", "\t0\t_\t"), "the head of 'a' (token 2) is the root"),
        (("\t1\tcase\t", "\t_\tno\t"), "the label 'no' of 'a' (token 2) is not known"),
    ]:
        source.write_text(ANNOTATED.replace(*change))
        result = run("parse", model, source, output, "--complete")
        assert result.exit_code == 1 and not output.exists()
        message = " ".join(result.output.split())
        assert "sentence s-1, " in message and named in message, message


def test_processes_name_them_too(run, model, tmp_path):
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(ANNOTATED.replace("\t1\tobj\t", "\t0\tobj\t"))
    result = run("parse", model, source, output, "--complete", "--n-process", 2)
    assert result.exit_code == 1 and "Traceback" not in result.output
    assert "the head of 'nos' (token 1) is the root" in " ".join(result.output.split())


def test_pipelines_with_components_of_spacy(run, model, dev, tmp_path):
    """spaCy's transition-based components take no error handler."""
    nlp = spacy.load(model)
    ner = nlp.add_pipe("ner")
    ner.add_label("X")
    words = ["Peter", "singt"]
    entities = {"entities": ["U-X", "O"]}
    examples = [Example.from_dict(Doc(nlp.vocab, words), entities)]
    ner.initialize(lambda: examples, nlp=nlp)
    nlp.to_disk(tmp_path / "model")
    output = tmp_path / "out.conllu"
    result = run("parse", tmp_path / "model", dev, output)
    assert result.exit_code == 0 and output.exists(), result.output


def test_merged_tokens_cannot_be_completed(run, model, tmp_path):
    nlp = spacy.load(model)
    ruler = nlp.add_pipe("entity_ruler", before="parser")
    ruler.add_patterns([{"label": "X", "pattern": "nos a"}])
    nlp.add_pipe("merge_entities", before="parser")
    nlp.to_disk(tmp_path / "model")
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(partial(ANNOTATED, random.Random(0)))
    result = run("parse", tmp_path / "model", source, output, "--complete")
    assert result.exit_code == 1 and not output.exists()
    assert "and tokens that are not theirs: 'vámo', 'nos a'" in " ".join(result.output.split())


def test_annotation_of_merged_tokens_cannot_be_kept(run, model, tmp_path):
    nlp = spacy.load(model)
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "X", "pattern": "nos a"}])
    nlp.add_pipe("merge_entities")
    nlp.to_disk(tmp_path / "model")
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(ANNOTATED)
    result = run("parse", tmp_path / "model", source, output, "--keep", "MISC")
    assert result.exit_code == 1 and not output.exists()
    message = " ".join(result.output.split())
    assert "sentence s-1: the pipeline has merged or split tokens" in message


@pytest.mark.parametrize("component", ["merge_entities", "sentencizer"])
def test_components_after_the_parser_do_not_change_what_is_completed(
    run, model, tmp_path, component
):
    nlp = spacy.load(model)
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "X", "pattern": "nos a"}])
    config = {"punct_chars": ["nos"], "overwrite": True} if component == "sentencizer" else {}
    nlp.add_pipe(component, config=config)
    nlp.to_disk(tmp_path / "model")
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(ANNOTATED)
    result = run("parse", tmp_path / "model", source, output, "--complete")
    assert result.exit_code == 1 and not output.exists()
    message = " ".join(result.output.split())
    assert "sentence s-1: a component after the parser has changed its tokens" in message


def test_parsers_that_do_not_obey_cannot_complete(run, tmp_path):
    nlp = spacy.blank("xx")
    parser = nlp.add_pipe("parser")
    parser.add_label("dep")
    nlp.initialize()
    nlp.to_disk(tmp_path / "model")
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(ANNOTATED)
    result = run("parse", tmp_path / "model", source, output, "--complete")
    assert result.exit_code == 1 and not output.exists()
    assert "--complete needs a parser of spacy_npparse" in " ".join(result.output.split())


def test_what_only_treebanks_have_cannot_be_completed(run, model, text, dev, tmp_path):
    output = tmp_path / "out.conllu"
    result = run("parse", model, text, output, "--complete")
    assert result.exit_code == 1 and "Leave out --complete" in result.output
    result = run("parse", model, dev, output, "--complete", "--keep", "LEMMA")
    assert result.exit_code == 1 and "Leave out --keep" in result.output


def test_kept_columns_replace_predictions(run, tmp_path):
    nlp = spacy.blank("xx")
    ruler = nlp.add_pipe("attribute_ruler")
    nlp.add_pipe("arc_hybrid_swap_parser", config={"model": {"tok2vec": {"width": 8}}})
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_text(ANNOTATED)
    nlp.initialize(lambda: ConlluCorpus(source)(nlp))
    ruler.add([[{}]], {"LEMMA": "predicted", "TAG": "P"})
    nlp.to_disk(tmp_path / "model")
    result = run("parse", tmp_path / "model", source, output, "--keep", "LEMMA")
    # The message does not list XPOS, which is predicted, nor LEMMA, which is kept.
    assert "FEATS of 2 lines, MISC of 2 lines, UPOS of 3 lines, comments: 2" in result.output
    [sentence] = read_conllu(output)
    assert [word.lemma for word in sentence.words] == ["ir", "_", "a"]
    assert [word.xpos for word in sentence.words] == ["P", "P", "P"]


def test_gold_annotation_makes_no_difference(run, model, dev, tmp_path):
    bare, of_bare, of_gold = (tmp_path / f"{name}.conllu" for name in ("bare", "a", "b"))
    bare.write_text(blanked(dev.read_text()))
    assert run("parse", model, bare, of_bare).exit_code == 0
    assert run("parse", model, dev, of_gold).exit_code == 0
    assert of_bare.read_text() == of_gold.read_text()


def test_text_with_page(run, model, text, tmp_path):
    output, page = tmp_path / "new" / "out.conllu", tmp_path / "new" / "trees.html"
    result = run("parse", model, text, output, "--html", page, "--batch-size", 1)
    assert result.exit_code == 0, result.output
    sentences = list(read_conllu(output))
    forms = [word.form for sentence in sentences for word in sentence.words]
    assert forms == "Die Frau schläft . Was glaubt der Arzt ? Der Arzt schläft .".split()
    assert all(sentence.n_roots == 1 for sentence in sentences)
    assert page.read_text().count("<figure") == len(sentences)
    assert f"{page}: {len(sentences)} trees" in result.output


def test_line_ends_and_byte_order_mark(run, model, text, tmp_path):
    plain, windows = tmp_path / "plain.conllu", tmp_path / "windows.conllu"
    assert run("parse", model, text, plain).exit_code == 0
    text.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert run("parse", model, text, windows).exit_code == 0
    assert windows.read_text() == plain.read_text().replace("\\n", "\\r\\n")


def trees(path):
    return [sentence.heads for sentence in read_conllu(path)]


@pytest.fixture
def rules(model, tmp_path):
    """Return the pipeline with a sentencizer, as a briefly trained senter differs by machine."""
    nlp = spacy.load(model)
    nlp.replace_pipe("senter", "sentencizer")
    nlp.to_disk(tmp_path / "rules")
    return tmp_path / "rules"


def test_wrapped_paragraphs(run, rules, text, tmp_path):
    wrapped, unwrapped, lines = (tmp_path / f"{name}.conllu" for name in ("a", "b", "c"))
    assert run("parse", rules, text, wrapped).exit_code == 0
    assert "".join(raw_texts(read_conllu(wrapped))).rstrip() == TEXT.rstrip()
    content = wrapped.read_text()
    assert content.startswith(
        "# newdoc id = in\n# newpar\n# sent_id = 1\n# text = Die Frau schläft.\n"
    )
    assert content.count("# newdoc") == 1 and content.count("# newpar") == 2
    assert content.count("SpacesAfter=\\n\n") == 3 and "SpacesAfter=\\n\\n\\s\\s\\s\\n" in content
    text.write_text("Die Frau schläft.\n\nWas glaubt der Arzt? Der Arzt schläft.")
    assert run("parse", rules, text, unwrapped).exit_code == 0
    assert trees(wrapped) == trees(unwrapped)
    text.write_text(TEXT)
    result = run("parse", rules, text, lines, "--lines")
    assert result.exit_code == 0, result.output
    assert lines.read_text().count("# newpar") == 4
    text.write_text(TEXT.replace("\n", "\n\n"))
    assert run("parse", rules, text, unwrapped).exit_code == 0
    assert trees(lines) == trees(unwrapped) != trees(wrapped)


def test_stdin_and_processes_in_a_program_of_its_own(run, model, text, tmp_path):
    one, two = tmp_path / "one.conllu", tmp_path / "two.conllu"
    assert run("parse", model, text, one).exit_code == 0
    command = [sys.executable, "-m", "spacy_npparse", "parse", model, "-", two, "--n-process", 2]
    result = subprocess.run(
        [*map(str, command), "--batch-size", "1"], input=TEXT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "" and "13 words in" in result.stderr
    assert two.read_text() == one.read_text().replace("# newdoc id = in\n", "# newdoc\n")
    assert one.read_text().count("Arzt\t") == 2


def test_malformed_conllu(run, model, tmp_path, caplog):
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    good = "1\ta" + "\t_" * 8 + "\n\n"
    source.write_text(good + "1\tb\n\n")
    result = run("parse", model, source, output)
    assert result.exit_code == 1 and f"{source}, line 3: 2 columns" in result.output
    assert not output.exists()
    result = run("parse", model, source, output, "--on-error", "skip")
    assert result.exit_code == 0 and "1 malformed sentences skipped" in caplog.text
    assert "1 sentences, 1 words" in result.output


def test_inputs_are_parsed_as_they_are_read(run, model, tmp_path, monkeypatch):
    """The windows are small, so that each input has many of them."""
    monkeypatch.setattr("spacy_npparse.treebank.annotating.WINDOW_WORDS", 7)
    text, conllu = tmp_path / "in.txt", tmp_path / "in.conllu"
    text.write_text("\n\n".join(f"Nummer {i} hat{' viele' * (i % 5)} Worte." for i in range(30)))
    output = tmp_path / "out.conllu"
    for source in (text, conllu):
        for options in ([], ["--n-process", 2], ["--keep", "comments"][: 2 * (source == conllu)]):
            result = run("parse", model, source, output, "--batch-size", 2, *options)
            assert result.exit_code == 0, result.output
            found = list(read_conllu(output))
            forms = [word.form for sentence in found for word in sentence.words]
            numbers = [form for form in forms if form.isdigit()]
            assert numbers == [str(number) for number in range(30)]
        shutil.copy(output, conllu)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_pipes_are_texts(run, model, tmp_path):
    pipe, output = tmp_path / "in.txt", tmp_path / "out.conllu"
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", f"printf 'Was?\n\nDas.' > {pipe}"]):
        assert run("parse", model, pipe, output).exit_code == 0
    assert "".join(raw_texts(read_conllu(output))) == "Was?\n\nDas. "
    assert output.read_text().startswith("# newdoc id = in\n")


def test_bad_text(run, model, text, tmp_path):
    output = tmp_path / "out.conllu"
    for content, message in [
        (b"a\nb\xff\n", f"{text}, line 2: not valid UTF-8 at byte 2"),
        (b"\xef\xbb\xbf\xff", f"{text}, line 1: not valid UTF-8 at byte 1"),
        (b"a\r\n\xff", f"{text}, line 2: not valid UTF-8 at byte 1"),
        (b"\n \n", f"{text}: no text"),
        (b"\xef\xbb\xbf# x\r\n1\ta" + 8 * b"\t_" + b"\r\n", f"{text}: this is CoNLL-U"),
        (
            b"\n" + b"a\n" * 500_001,
            f"{text}, line 2: a paragraph of 1,000,001 characters, more than the 1,000,000",
        ),
    ]:
        text.write_bytes(content)
        result = run("parse", model, text, output)
        assert result.exit_code == 1 and message in result.output
        assert "Traceback" not in result.output and not output.exists()


def test_no_sentence_is_an_error_like_no_text(run, model, tmp_path):
    (tmp_path / "in.conllu").write_text("\n\n")
    result = run("parse", model, tmp_path / "in.conllu", tmp_path / "out.conllu")
    assert result.exit_code == 1 and "in.conllu: no sentence to parse." in result.output


def test_bad_arguments(run, model, text, tmp_path):
    output = tmp_path / "out.conllu"
    for name in ("model-best", "model-last"):
        (tmp_path / name / name).mkdir(parents=True)
        (tmp_path / name / name / "config.cfg").touch()
    for arguments, message in [
        *(
            ((tmp_path / name, text, output), f"Give a pipeline in it: {tmp_path / name}/{name}")
            for name in ("model-best", "model-last")
        ),
        ((model, text, tmp_path / "out.txt"), "Give OUT a name that ends in .conllu"),
        ((model, tmp_path / "in.pdf", output), "Give a .conllu file, a .txt file, or -"),
        ((model, tmp_path / "no.txt", output), "No such file"),
        ((model, tmp_path / "no.conllu", output), "no such file"),
        ((tmp_path / "no", text, output), f"{tmp_path / 'no'}: no such pipeline. Give the folder"),
        ((model, tmp_path / "in.conllu", output, "--lines"), "--lines is for text, but"),
        ((model, text, output, "--keep", "LEMMA"), "Cannot keep annotation of"),
        ((model, text, output, "--gpu-id", 0, "--n-process", 2), "Processes cannot share a GPU"),
    ]:
        result = run("parse", *arguments)
        assert result.exit_code == 1 and message in result.output
        assert "Traceback" not in result.output and not output.exists()


@pytest.mark.parametrize("damage", ["cut", "junk", "gone"])
@pytest.mark.parametrize("file", ["parser/model", "config.cfg", "vocab/strings.json", "tokenizer"])
def test_damaged_pipeline(run, model, text, tmp_path, file, damage):
    damaged = shutil.copytree(model, tmp_path / "damaged")
    path = damaged / file
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(content[: len(content) // 2] if damage == "cut" else b"\x00junk")
    result = run("parse", damaged, text, tmp_path / "out.conllu")
    assert result.exit_code == 1, result.output
    assert f"{damaged}: this pipeline cannot be loaded" in result.output
    assert "Traceback" not in result.output


def test_pipeline_without_parser(run, text, tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    result = run("parse", tmp_path / "model", text, tmp_path / "out.conllu")
    assert result.exit_code == 1 and "has no parser, only: sentencizer" in result.output


def test_token_ranges(run, model, dev, tmp_path):
    text = "Wir sahen\nihn.\n\n Er kam."
    (tmp_path / "in.txt").write_text(text)
    options = [tmp_path / "in.txt", tmp_path / "out.conllu", "--token-ranges"]
    assert run("parse", model, *options).exit_code == 0
    words = [word for sentence in read_conllu(tmp_path / "out.conllu") for word in sentence.words]
    for word in words:
        [(start, end)] = re.findall(r"TokenRange=(\d+):(\d+)$", word.misc)
        assert text[int(start) : int(end)] == word.form
    assert len(words) == 7
    result = run("parse", model, dev, tmp_path / "out.conllu", "--token-ranges")
    assert result.exit_code == 1 and "no text to give the ranges" in result.output


def test_sentences_that_the_parser_is_sure_of(run, model, dev, tmp_path):
    def parsed(least):
        output = tmp_path / "out.conllu"
        result = run("parse", model, dev, output, "--min-confidence", least)
        assert result.exit_code == 0, result.output
        sentences = list(read_conllu(output)) if output.stat().st_size else []
        assert f"{120 - len(sentences)} sentences left out" in result.output
        return sentences

    everything = parsed(0.0)
    confidences = [float(sentence.metadata["confidence"]) for sentence in everything]
    # The threshold is in the widest gap of the middle, because the comments are rounded.
    ranked = sorted(confidences)[40:80]
    least = fmean(max(pairwise(ranked), key=lambda pair: pair[1] - pair[0]))
    sure = [s.rows for s, found in zip(everything, confidences, strict=True) if found > least]
    assert [sentence.rows for sentence in parsed(least)] == sure
    assert len(everything) == 120 and 0 < len(sure) < 120 and not parsed(1.0)


def test_documents_begin_with_the_first_sentence_that_is_left():
    lines = "# newdoc id = {}\n# newpar\n# sent_id = {}\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_"
    choose = ConfidentSentences(0.5)
    names = []
    for name, sure in [("A", [0.9]), ("B", [0.1, 0.9, 0.9]), ("C", [0.2]), ("D", [0.7])]:
        first = parse_sentence(lines.format(name, name).split("\n"))
        others = [parse_sentence(str(first).split("\n")[2:])] * (len(sure) - 1)
        doc = Doc(Vocab(), words=["a"] * len(sure), sent_starts=[True] * len(sure))
        for token, probability in zip(doc, sure, strict=True):
            token._.head_probability = probability
        for sentence in choose(doc, [first, *others]):
            names.append(sentence.metadata.get("newdoc id"))
            assert sentence.begins_paragraph == (names[-1] is not None)
    assert names == ["A", "B", None, "D"]


def test_heads_in_another_sentence_have_no_distribution():
    """A component after the parser can set other sentence boundaries."""
    doc = Doc(Vocab(), words=["a", "b", "c"], sent_starts=[True, False, True])
    doc.user_data[DISTRIBUTIONS_KEY] = found = HeadDistributions.unknown(3)
    for i, offsets in enumerate(([1, 0], [1, -1], [-2, -1])):
        doc[i]._.head_probability = 0.6
        found.heads[i, :2], found.probabilities[i, :2] = offsets, [0.6, 0.4]
    choose = ConfidentSentences(0.5, distributions=True)
    first, second = choose(doc, sentences_from_doc(doc))[0].words
    assert (first.misc, second.misc) == ("HeadDistribution=2:0.60,0:0.40", "_")


def test_comments_without_key_and_tokens_with_several_words():
    """The Doc has one token for *à*, so heads in it are not heads of words."""
    rows = ["1-2\tà", "1\ta\t0", "2\ta\t1"]
    columns = [row.split("\t") for row in rows]
    lines = ["#", "# = x", "# newdoc"] + [
        "\t".join([number, form, *"____", *(head or ["_"]), "dep", "_", "_"])
        for number, form, *head in columns
    ]
    sentence = parse_sentence(lines)
    doc = doc_from_sentences([sentence], Vocab())
    assert len(doc) == 1
    doc.user_data[DISTRIBUTIONS_KEY] = found = HeadDistributions.unknown(1)
    found.heads[0, 0], found.probabilities[0, 0] = 0, 0.6
    doc[0]._.head_probability = 0.6
    (chosen,) = ConfidentSentences(0.5, distributions=True)(doc, [sentence])
    assert chosen.rows == sentence.rows
    assert chosen.begins_document


@pytest.mark.parametrize("keep, lemmas", [((), {"_"}), (("--keep", "LEMMA"), {"ir", "a"})])
def test_silver_sentences_have_no_lemmas_but_those_of_the_file(run, model, tmp_path, keep, lemmas):
    nlp = spacy.load(model)
    nlp.add_pipe("attribute_ruler").add([[{}]], {"LEMMA": "predicted", "TAG": "P"})
    nlp.to_disk(tmp_path / "model")
    source, output = tmp_path / "in.conllu", tmp_path / "out.conllu"
    row = "{}\t{}\t{}\t_\t_\t_\t{}\t_\t_\t_\n"
    source.write_text(row.format(1, "va", "ir", 0) + row.format(2, "a", "a", 1) + "\n")
    result = run("parse", tmp_path / "model", source, output, "--min-confidence", 0.0, *keep)
    assert result.exit_code == 0, result.output
    (sentence,) = read_conllu(output)
    assert {word.lemma for word in sentence.words} == lemmas
    assert {word.xpos for word in sentence.words} == {"P"}


def test_other_parsers_have_no_confidence(run, text, tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("parser").add_label("dep")
    nlp.initialize()
    nlp.to_disk(tmp_path / "model")
    result = run("parse", tmp_path / "model", text, tmp_path / "a.conllu", "--min-confidence", 0.5)
    assert result.exit_code == 1
    assert "needs a parser of spacy_npparse; the pipeline has only: sentencizer" in result.output


@pytest.mark.parametrize("name", ["a.txt", "a.conllu"])
def test_units_that_are_too_large_are_refused_by_line(run, model, tmp_path, monkeypatch, name):
    monkeypatch.setattr(bounds, "MOST_BYTES", 100)
    row = "{}\tGo\t_\t_\t_\t_\t_\t_\t_\t_\n"
    large = "".join(map(row.format, range(1, 10))) if name == "a.conllu" else "word " * 30
    small = row.format(1) if name == "a.conllu" else "Go\n"
    (tmp_path / name).write_text(f"{small}\n{large}\n")
    result = run("parse", model, tmp_path / name, tmp_path / "out.conllu")
    assert result.exit_code == 1 and not (tmp_path / "out.conllu").exists()
    assert f"✘ {tmp_path / name}, line 3" in result.output and "Separate its" in result.output
