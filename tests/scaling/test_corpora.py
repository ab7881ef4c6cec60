"""Annotation of corpora with workers in this process: output, resumption, quarantine and errors."""

import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from itertools import pairwise

import pytest
import spacy
from small_corpora import (
    DEADLY,
    FAILING,
    InlineWorkers,
    Killed,
    annotate_missing,
    content,
    corpus_of,
    small_pipeline,
    write_corpus,
)
from spacy.language import Language
from spacy.tokens import DocBin

from spacy_npparse.files import WriteError
from spacy_npparse.scaling import shards
from spacy_npparse.scaling.attempts import Attempt
from spacy_npparse.scaling.corpus import planning
from spacy_npparse.scaling.execution import NoWorkerError, annotate_shards
from spacy_npparse.scaling.formats import FORMATS
from spacy_npparse.scaling.inputs import Input
from spacy_npparse.scaling.manifest import InputNote, check_inputs, read_manifest
from spacy_npparse.scaling.pipelines import Pipeline, files_of_pipeline, pipeline_checksum
from spacy_npparse.scaling.plan import ChangedInputError
from spacy_npparse.scaling.shards import FailingPipelineError
from spacy_npparse.treebank import read_conllu
from spacy_npparse.workfolder import DamagedFileError, FolderMismatchError

N_PARAGRAPHS = 30
# A paragraph of 1,000,002 characters. spaCy accepts up to 1,000,000.
TOO_LONG = "too long" + "g" * 999_994


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    return small_pipeline(tmp_path_factory.mktemp("pipeline") / "model")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"), N_PARAGRAPHS)


@pytest.fixture(scope="module")
def serial(pipeline, source, tmp_path_factory):
    """Annotate the corpus without interruption."""
    output = tmp_path_factory.mktemp("serial")
    annotate_missing(corpus_of(pipeline, [source], output))
    return output


def quarantined(output):
    paths = sorted((output / "quarantine").glob("*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def sent_ids(conllu):
    return re.findall(r"^# sent_id = (.*)$", conllu, re.M)


def test_shards_together_are_one_file(pipeline, source, serial, tmp_path):
    whole = corpus_of(pipeline, [source], tmp_path / "one", words_per_shard=10**6)
    assert len(whole.shards) == 1 and len(read_manifest(serial).shards) > 20
    annotate_missing(whole)
    assert content(tmp_path / "one") == content(serial)
    path = tmp_path / "all.conllu"
    path.write_text(content(serial))
    sentences = list(read_conllu(path))
    assert all(sentence.n_roots == 1 for sentence in sentences)
    manifest = whole.complete()
    assert manifest.counts["n_sentences"] == len(sentences)
    assert manifest.counts["n_words"] == sum(len(sentence.words) for sentence in sentences)
    assert manifest.counts["n_quarantined"] == 0 and manifest == read_manifest(tmp_path / "one")


def test_order_identifiers_and_metadata(serial):
    found = content(serial)
    ids = sent_ids(found)
    assert len(ids) == len(set(ids)) == found.count("\n\n")
    documents = re.findall(r"^# newdoc id = (.*)$", found, re.M)
    of_records = [f"r{number}" for number in range(N_PARAGRAPHS)]
    assert documents == [
        *(f"c{number}" for number in range(N_PARAGRAPHS)),
        *of_records * 4,
        *("text", "textgz", "textxz", "textzst"),
    ]
    assert ids[:N_PARAGRAPHS] == [f"c-{number}" for number in range(N_PARAGRAPHS)]
    assert found.count("# speaker = A\n") == N_PARAGRAPHS
    assert (
        '# newdoc id = r7\n# metadata = {"year": 1907}\n# newpar\n# sent_id = records-d8p1s1'
        in found
    )
    assert "# newpar\n# sent_id = records-d8p2s1\n# text = It ends.\n" in found
    assert "# sent_id = text-d1p3s2\n# text = It has lines.\n" in found
    # White space is kept, too. For multiword tokens and other features, see tests/treebank.
    assert "here\t_\t_\t_\t_\t3\tdep\t_\tSpaceAfter=No" in found and "SpacesAfter=\\s\\s\n" in found


def test_sentences_without_a_document_belong_to_their_file(pipeline, tmp_path):
    lines = [f"{i}\t{form}" + "\t_" * 8 for i, form in enumerate(["It", "ends"], 1)]
    block = "\n".join(lines) + "\n\n"
    (tmp_path / "a.txt").write_text("One.")
    (tmp_path / "b.conllu").write_text(f"{block}# newdoc id = c\n{block}")
    (tmp_path / "d.conllu").write_text(f"# newdoc\n{block}")
    sources = [tmp_path / name for name in ("a.txt", "b.conllu", "d.conllu")]
    annotate_missing(corpus_of(pipeline, sources, tmp_path / "out"))
    found = re.findall(r"^# newdoc.*$", content(tmp_path / "out"), re.M)
    assert found == ["# newdoc id = a", "# newdoc id = b", "# newdoc id = c", "# newdoc"]


@pytest.mark.parametrize(
    "record, written",
    [
        (
            '{"id": "a", "x": NaN, "y": [Infinity, -1e999, 1.5]}',
            {"x": None, "y": [None, None, 1.5]},
        ),
        ('{"id": "a", "x": "\\u2028 \\"\\n ü", "y": true}', {"x": '\u2028 "\n ü', "y": True}),
        ('{"id": ["a", null], "x": 1}', {"x": 1}),
    ],
)
def test_metadata_is_json(pipeline, tmp_path, record, written):
    def refused(constant):
        raise ValueError(f"{constant} is no JSON")

    source = tmp_path / "a.jsonl"
    source.write_text(record[:-1] + ', "text": "One. Two.\\n\\nThree."}\n')
    found = {}
    for format in ("conllu", "parquet"):
        corpus = corpus_of(pipeline, [source], tmp_path / format, format=format)
        annotate_missing(corpus)
        (found[format],) = (tmp_path / format / "shards").iterdir()
    comments = dict(re.findall("# (newdoc id|metadata) = (.*)", found["conllu"].read_text()))
    assert json.loads(comments["metadata"], parse_constant=refused) == written
    name = json.loads(record.replace("NaN", "0"))["id"]
    assert comments["newdoc id"] == (name if isinstance(name, str) else json.dumps(name))
    # In Parquet, each sentence has the identifier and the metadata of its document.
    table = pytest.importorskip("pyarrow.parquet").read_table(found["parquet"]).to_pydict()
    assert table["doc_id"] == [comments["newdoc id"]] * 3
    assert table["metadata"] == [comments["metadata"]] * 3


@pytest.mark.parametrize("format", ["conllu.zst", "docbin", "parquet"])
def test_formats_hold_the_same_sentences(pipeline, source, serial, tmp_path, format):
    corpus = corpus_of(pipeline, [source], tmp_path / "out", format=format)
    annotate_missing(corpus)
    paths = sorted((tmp_path / "out" / "shards").iterdir())
    read = [sentence for path in paths for sentence in FORMATS[format].read(path)]
    assert "".join(f"{sentence}\n\n" for sentence in read) == content(serial)
    assert len(paths) == len(corpus.shards)
    assert all(path.name.endswith(FORMATS[format].suffix) for path in paths)
    # The output is reproducible.
    corpus = corpus_of(pipeline, [source], tmp_path / "again", format=format)
    annotate_missing(corpus)
    assert [path.read_bytes() for path in sorted((tmp_path / "again" / "shards").iterdir())] == [
        path.read_bytes() for path in paths
    ]


def test_the_command_given_again_does_what_is_missing(pipeline, source, serial, tmp_path):
    corpus = corpus_of(pipeline, [source], tmp_path)
    list(annotate_shards(InlineWorkers(corpus.job), corpus, corpus.shards[1::3]))
    assert corpus.complete() is None
    done = annotate_missing(corpus_of(pipeline, [source], tmp_path))
    assert list(done) == [s.name for s in corpus.shards if s.number % 3 != 1]
    assert annotate_missing(corpus_of(pipeline, [source], tmp_path)) == {}
    assert content(tmp_path) == content(serial)


def test_processes_share_the_shards(pipeline, source, serial, tmp_path):
    """Each process takes the next unclaimed shard, and reports shards that others have finished."""
    corpora = [corpus_of(pipeline, [source], tmp_path) for _ in range(3)]
    workers = [InlineWorkers(corpus.job) for corpus in corpora]
    running = [
        annotate_shards(own, corpus, corpus.shards)
        for own, corpus in zip(workers, corpora, strict=True)
    ]
    planned = corpora[0].shards
    assert next(running[0])[0] == planned[1]
    # Now the first shard is claimed, and the second one is finished.
    told = [list(running[1]), list(running[2]), list(running[0])]
    assert [sorted(own.done) for own in workers] == [planned[:2], planned[2:], []]
    assert [len(one) for one in told] == [len(planned) - 1] * 3
    assert corpora[2].complete() is not None and content(tmp_path) == content(serial)
    assert {path.name for path in (tmp_path / ".locks").iterdir()} == {"plan"}


@pytest.mark.parametrize("damage", ["shard", "record", "missing", "quarantine"])
def test_damaged_shards_are_redone(pipeline, tmp_path, damage):
    (tmp_path / "a.txt").write_text(f"One.\n\nTwo {FAILING}.\n\nThree.")
    output = tmp_path / "out"
    corpus = corpus_of(pipeline, [tmp_path / "a.txt"], output)
    annotate_missing(corpus)
    before = {path: path.read_bytes() for path in output.glob("[sq]*/*")}
    assert len(before) == 2
    path = corpus.job.files.shard(corpus.shards[0])
    if damage == "shard":
        path.write_bytes(path.read_bytes().replace(b"One", b"Ono"))
    elif damage == "record":
        path = corpus.job.files.record(corpus.shards[0])
        path.write_text(path.read_text()[:-5])
    elif damage == "quarantine":
        path = corpus.job.files.quarantine(corpus.shards[0])
        path.write_text("")
    else:
        path.unlink()
    with pytest.raises(DamagedFileError, match=path.name):
        corpus.finished(corpus.shards[0])
    if damage == "record":
        assert corpus.complete() is None
    list(annotate_missing_of(corpus))
    assert {path: path.read_bytes() for path in output.glob("[sq]*/*")} == before
    assert corpus.finished(corpus.shards[0]) is not None


def annotate_missing_of(corpus):
    worker = InlineWorkers(corpus.job).annotator
    return [worker.annotate(shard) for shard in corpus.shards]


def test_texts_that_fail_are_alone_in_quarantine(pipeline, tmp_path):
    texts = [f"Text {number}." for number in range(20)]
    good = tmp_path / "good" / "a.txt"
    bad = tmp_path / "bad" / "a.txt"
    for path, word in ((good, "Boo"), (bad, FAILING)):
        path.parent.mkdir()
        texts[3], texts[11] = f"Here {word}.", f"There {word}\n{word}."
        path.write_text("\n\n".join(texts))
        records = annotate_missing(
            corpus_of(pipeline, [path], path.parent / "out", words_per_shard=12)
        )
    lost = quarantined(tmp_path / "bad" / "out")
    assert lost == [
        {
            "place": f"{bad.resolve()}, line {line}",
            "reason": "RuntimeError: this text fails",
            "text": text,
        }
        for line, text in ((7, f"Here {FAILING}.\n\n"), (23, f"There {FAILING}\n{FAILING}.\n\n"))
    ]
    assert [record.n_quarantined for record in records.values()] == [1, 1, 0, 0]
    # The failing texts do not affect the other texts.
    others = [one for one in content(tmp_path / "good" / "out").split("\n\n") if "Boo" not in one]
    assert content(tmp_path / "bad" / "out").split("\n\n") == others and len(others) == 19


def test_a_pipeline_that_always_fails_is_not_the_fault_of_the_texts(pipeline, tmp_path):
    (tmp_path / "a.txt").write_bytes(
        b"Good.\n\n" + f"{FAILING} 1.\n\n{FAILING} 2.".encode() + b"\n\nGr\xfc\xdfe."
    )
    output = tmp_path / "out"
    corpus = corpus_of(pipeline, [tmp_path / "a.txt"], output, words_per_shard=5)
    assert [record.n_quarantined for record in annotate_missing(corpus).values()] == [2, 1]
    corpus = corpus_of(pipeline, [tmp_path / "a.txt"], tmp_path / "two", words_per_shard=1)
    # A single text of a shard may fail, and texts that cannot be read do not count.
    assert sum(record.n_docs for record in annotate_missing(corpus).values()) == 1
    (tmp_path / "b.txt").write_text(f"{FAILING} 1.\n\n{FAILING} 2.")
    corpus = corpus_of(pipeline, [tmp_path / "b.txt"], tmp_path / "three")
    with pytest.raises(
        FailingPipelineError,
        match=r"All 2 texts of shard 00000000 fail.*b\.txt, line 1: RuntimeError: this text fails",
    ):
        annotate_missing(corpus)
    assert not [path for path in tmp_path.glob("three/*/*") if path.parent.name != ".locks"]


def test_what_begins_a_document_is_lost_with_its_first_text(pipeline, tmp_path):
    """The sent_id of the other texts is still correct."""
    (tmp_path / "a.txt").write_text(f"{FAILING}.\n\n{FAILING} too.\n\nThird.\n\nFourth.")
    (tmp_path / "b.jsonl").write_text(
        "".join(
            json.dumps({"id": name, "text": text, "by": "x"}) + "\n"
            for name, text in (("r1", f"{FAILING}.\n\nNext."), ("r2", FAILING), ("r3", "Own."))
        )
    )
    row = "\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    (tmp_path / "c.conllu").write_text(
        f"# newdoc id = d1\n# newpar id = p1\n# sent_id = 1\n1\t{FAILING}{row}"
        f"# sent_id = 2\n1\tGo{row}# newdoc id = d2\n# sent_id = 3\n1\t{FAILING}{row}"
        f"# newdoc id = d3\n# sent_id = 4\n1\tGo{row}"
    )
    corpus = corpus_of(pipeline, [tmp_path], tmp_path.parent / "out-documents")
    annotate_missing(corpus)
    found = content(corpus.job.files.folder)
    comments = [
        line.removeprefix("# ")
        for line in found.splitlines()
        if re.match("# (new|sent_id|metadata)", line)
    ]
    assert comments == [
        *("newpar", "sent_id = a-d1p3s1", "newpar", "sent_id = a-d1p4s1"),
        *("newpar", "sent_id = b-d1p2s1"),
        *("newdoc id = r3", 'metadata = {"by": "x"}', "newpar", "sent_id = b-d3p1s1"),
        *("sent_id = 2", "newdoc id = d3", "sent_id = 4"),
    ]
    assert len(quarantined(corpus.job.files.folder)) == 6


def test_what_begins_a_document_is_lost_with_a_text_that_cannot_be_read(pipeline, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.txt").write_bytes(b"Gr\xfc\xdfe.\n\nBoom.\n\nThird.")
    (source / "b.txt").write_text(f"{TOO_LONG}\n\nSecond.")
    (source / "c.txt").write_text(f"{DEADLY}.\n\nSecond.")
    row = "\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    (source / "d.conllu").write_bytes(
        b"\xef\xbb\xbf# newdoc id = d1\n# newpar\n# sent_id = 1\n1\tGo\n\n"
        b"# newpar id = p\xfc\n# sent_id = 2\n1\tGo"
        + f"{row}# sent_id = 3\n1\tGo{row}# newdoc\n\n# sent_id = 4\n1\tGo{row}"
        f"# newdoc id = d3\n# sent_id = 5\n1\t{DEADLY}{row}# sent_id = 6\n1\tGo{row}".encode()
    )
    corpus = corpus_of(pipeline, [source], tmp_path / "out")
    annotate_missing(corpus)
    found = content(tmp_path / "out")
    assert re.findall("^# (newdoc.*|newpar id.*|sent_id.*)$", found, re.M) == [
        *("sent_id = a-d1p3s1", "sent_id = b-d1p2s1", "sent_id = c-d1p2s1"),
        *("sent_id = 3", "sent_id = 4", "sent_id = 6"),
    ]
    assert len(quarantined(tmp_path / "out")) == 8


def test_what_cannot_be_read_or_written_is_quarantined(tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_trees")
    nlp.add_pipe("attribute_ruler").add([[{"ORTH": "Tab"}]], {"LEMMA": "a\tb"})
    nlp.to_disk(tmp_path / "model")
    (tmp_path / "a.txt").write_bytes(
        b"Gr\xfc\xdfe.\n\nTab.\n\n" + TOO_LONG.encode() + b"\n\nThis is written."
    )
    corpus = corpus_of(tmp_path / "model", [tmp_path / "a.txt"], tmp_path / "out")
    records = annotate_missing(corpus).values()
    reasons = [one["reason"] for one in quarantined(tmp_path / "out")]
    assert reasons[0] == "not valid UTF-8. Convert the text to UTF-8."
    assert reasons[1].startswith("a paragraph of 1,000,002 characters, more than the 1,000,000")
    assert reasons[2].startswith("DocError: ") and "has a tab or a line end" in reasons[2]
    assert sum(record.n_quarantined for record in records) == len(reasons) == 3
    assert sent_ids(content(tmp_path / "out")) == ["a-d1p4s1"]


@pytest.mark.parametrize("batch_size", [1, 4, 100])
def test_texts_that_end_the_process_are_found(pipeline, tmp_path, batch_size):
    texts = [f"Text {number}." for number in range(40)]
    for number in (5, 6, 30):
        texts[number] = f"{DEADLY} {number}."
    (tmp_path / "a.txt").write_text("\n\n".join(texts))
    corpus = corpus_of(
        pipeline, [tmp_path / "a.txt"], tmp_path / "out", words_per_shard=20, batch_size=batch_size
    )
    records = annotate_missing(corpus)
    assert [record.n_quarantined for record in records.values()].count(0) == 2
    lost = quarantined(tmp_path / "out")
    assert [one["text"].strip() for one in lost] == [f"{DEADLY} {number}." for number in (5, 6, 30)]
    assert all("each process that tried to annotate it was killed" in one["reason"] for one in lost)
    ids = sent_ids(content(tmp_path / "out"))
    assert ids == [f"a-d1p{number + 1}s1" for number in range(40) if number not in (5, 6, 30)]


class Unlucky(InlineWorkers):
    """Workers that are killed at the tasks with these numbers, by no fault of the tasks."""

    def __init__(self, corpus, unlucky):
        super().__init__(corpus.job)
        self.unlucky = set(unlucky)

    def ended(self):
        if len(self.done) in self.unlucky:
            work = self.annotator.annotate

            def killed(shard):
                raise Killed

            self.annotator.annotate = killed
            yield from super().ended()
            self.annotator.annotate = work
        else:
            yield from super().ended()


@pytest.mark.parametrize("unlucky", [{0}, {0, 1}, {0, 2, 3}, {3, 4, 5}, range(0, 10, 3)])
def test_workers_that_are_lost_by_chance_make_no_difference(
    pipeline, source, serial, tmp_path, unlucky
):
    corpus = corpus_of(pipeline, [source], tmp_path)
    records = annotate_missing(corpus, Unlucky(corpus, unlucky))
    assert None not in records.values() and len(records) == len(corpus.shards)
    assert content(tmp_path) == content(serial) and not quarantined(tmp_path)


def killed_at(monkeypatch, batches, numbers):
    """Number the batches of all shards that meet a condition, and kill the worker at `numbers`."""
    begun = []
    watching = Attempt.watching

    @contextmanager
    def killing(attempt, texts):
        with watching(attempt, texts):
            if batches(texts):
                begun.append(texts)
                if len(begun) in numbers:
                    raise Killed
            yield

    monkeypatch.setattr(Attempt, "watching", killing)


@pytest.mark.parametrize(
    "numbers", [{1}, {5}, {1, 2}, {1, 2, 4}, {1, 2, 3}, {n * n for n in range(20)}]
)
def test_workers_that_are_lost_with_a_batch_by_chance(
    pipeline, source, serial, tmp_path, monkeypatch, numbers
):
    killed_at(monkeypatch, lambda texts: True, numbers)
    assert None not in annotate_missing(corpus_of(pipeline, [source], tmp_path)).values()
    assert content(tmp_path) == content(serial) and not quarantined(tmp_path)


def test_what_cannot_be_annotated_together_is_annotated_alone(
    pipeline, source, serial, tmp_path, monkeypatch
):
    killed_at(monkeypatch, lambda texts: len(texts) > 3, range(10**6))
    assert None not in annotate_missing(corpus_of(pipeline, [source], tmp_path)).values()
    assert content(tmp_path) == content(serial) and not quarantined(tmp_path)


def test_the_next_command_knows_what_has_ended_a_process(pipeline, tmp_path):
    """Commands are killed together with their worker four times; the fifth one knows the text."""
    (tmp_path / "a.txt").write_text(f"One.\n\n{DEADLY}.\n\nThree.")
    for number in range(5):
        corpus = corpus_of(pipeline, [tmp_path / "a.txt"], tmp_path / "out")
        worker = InlineWorkers(corpus.job).annotator
        with pytest.raises(Killed) if number < 4 else nullcontext():
            worker.annotate(corpus.shards[0])
    assert [one["text"] for one in quarantined(tmp_path / "out")] == [f"{DEADLY}.\n\n"]
    # After its record is deleted, the shard is annotated anew.
    corpus.job.files.record(corpus.shards[0]).unlink()
    with pytest.raises(Killed):
        worker.annotate(corpus.shards[0])


@pytest.mark.parametrize("damage", ["", "[1", "7", "[1]\n[[]]\n", "[0]\n[0]\n[0", "\0\0"])
def test_a_damaged_note_blames_nobody(pipeline, source, serial, tmp_path, damage):
    corpus = corpus_of(pipeline, [source], tmp_path)
    corpus.job.files.attempt(corpus.shards[0]).write_text(damage)
    annotate_missing(corpus)
    assert content(tmp_path) == content(serial) and not quarantined(tmp_path)


def test_shards_that_are_lost_again_and_again_are_given_up(
    pipeline, source, serial, tmp_path, monkeypatch
):
    corpus = corpus_of(pipeline, [source], tmp_path)
    read = shards.units_of_shard

    def read_others(shard, reader):
        if shard.number == 1:
            raise Killed
        return read(shard, reader)

    with monkeypatch.context() as patch:
        patch.setattr(shards, "units_of_shard", read_others)
        records = annotate_missing(corpus)
    assert [name for name, record in records.items() if record is None] == ["00000001"]
    assert list(annotate_missing(corpus)) == ["00000001"]
    assert content(tmp_path) == content(serial)


def test_workers_that_cannot_begin(pipeline, source, tmp_path):
    corpus = corpus_of(pipeline, [source], tmp_path)
    with pytest.raises(NoWorkerError, match="Use fewer workers"):
        annotate_missing(corpus, Unlucky(corpus, range(1000)))
    assert not list(tmp_path.glob("quarantine/*"))


def test_other_pipelines_settings_and_files_are_refused(pipeline, source, tmp_path):
    output = tmp_path / "out"
    annotate_missing(corpus_of(pipeline, [source], output))
    other = small_pipeline(tmp_path / "model")
    assert corpus_of(other, [source], output).shards
    (other / "meta.json").write_text((other / "meta.json").read_text() + "\n")
    for changed, message in (
        (dict(pipeline=other), "model: .* before, .* now"),
        (dict(batch_size=5), "batch_size: 4 before, 5 now"),
        (dict(words_per_shard=70), "words_per_shard: 60 before, 70 now"),
        (dict(format="docbin"), "format: conllu before, docbin now"),
        (dict(lines=True), "lines: False before, True now"),
        (dict(sources=[source / "text.txt"]), "other files .*recordsgz.* and .* more missing"),
    ):
        given = {"pipeline": pipeline, "sources": [source], "output": output} | changed
        with pytest.raises(FolderMismatchError, match=message):
            corpus_of(**given)
    manifest = output / "manifest.json"
    manifest.write_text(manifest.read_text()[:-100])
    with pytest.raises(FolderMismatchError, match="is damaged.*Delete the folder"):
        corpus_of(pipeline, [source], output)


def test_thousands_of_other_files_are_refused_at_once(tmp_path):
    known = [InputNote("", f"a{number}", 0, 0, "") for number in range(10**4)]
    inputs = [Input(tmp_path, f"b{number}") for number in range(10**4)]
    start = time.process_time()
    with pytest.raises(FolderMismatchError, match="b0, b1, b2 and 9997 more added"):
        check_inputs(known, inputs, tmp_path)
    assert time.process_time() - start < 2


def test_records_without_a_manifest_are_refused(pipeline, tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    corpus = corpus_of(pipeline, [tmp_path / "a.txt"], tmp_path / "out")
    annotate_missing(corpus)
    (tmp_path / "out" / "manifest.json").unlink()
    with pytest.raises(FolderMismatchError, match=r"no manifest\.json.*or delete this one"):
        corpus_of(pipeline, [tmp_path / "a.txt"], tmp_path / "out")
    corpus.job.files.record(corpus.shards[0]).unlink()
    assert annotate_missing(corpus_of(pipeline, [tmp_path / "a.txt"], tmp_path / "out"))


def test_temporary_files_of_a_killed_process_are_removed(pipeline, tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    stray = tmp_path / "out" / ".spacy_npparse.0123"
    # Commands that write folders leave a folder.
    folder = tmp_path / "out" / ".spacy_npparse.4567" / "parser"
    folder.mkdir(parents=True)
    stray.touch()
    corpus_of(pipeline, [tmp_path / "a.txt"], tmp_path / "out")
    assert not stray.exists() and not folder.parent.exists()


def test_files_of_a_pipeline(tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("sentencizer", name="my.own")
    nlp.add_pipe("attribute_ruler").add([[{"ORTH": "a"}]], {"LEMMA": "b"})
    nlp.disable_pipe("my.own")
    nlp.to_disk(tmp_path)
    (tmp_path / "scores.json").write_text("{}")
    found = {path.relative_to(tmp_path).as_posix() for path in files_of_pipeline(tmp_path)}
    assert found >= {"config.cfg", "meta.json", "sentencizer.json", "my.json"}
    assert "attribute_ruler/patterns" in found and "scores.json" not in found
    before = pipeline_checksum(tmp_path)
    (tmp_path / "sentencizer.json").write_text('{"punct_chars": ["!"]}')
    assert pipeline_checksum(tmp_path) != before
    for damaged in ("{", "[]", "{}", '{"components": 1}'):
        (tmp_path / "meta.json").write_text(damaged)
        assert tmp_path / "sentencizer.json" not in files_of_pipeline(tmp_path)


def annotate_first(corpus):
    list(annotate_shards(InlineWorkers(corpus.job), corpus, corpus.shards[:1]))


def test_folders_without_records_are_planned_anew(pipeline, tmp_path):
    """A new plan is refused while a command annotates. Later, the old plan cannot claim shards."""
    (tmp_path / "a.txt").write_text("One two.\n\nThree four.")
    arguments = (pipeline, [tmp_path / "a.txt"], tmp_path / "out")
    before = corpus_of(*arguments, words_per_shard=1)
    note = before.job.files.attempt(before.shards[0])
    note.write_text("[0, 0, 0, 0]\n")
    claimed = before.claim(before.shards[1])
    with pytest.raises(FolderMismatchError, match="words_per_shard: 1 before, 100 now"):
        corpus_of(*arguments, words_per_shard=100)
    before.release(before.shards[1], claimed)
    after = corpus_of(*arguments, words_per_shard=100)
    assert len(before.shards) == 2 and len(after.shards) == 1 and not note.exists()
    with pytest.raises(FolderMismatchError, match="another command uses this folder"):
        before.claim(before.shards[0])
    annotate_first(after)
    assert after.complete() is not None
    # Completion of the corpus does not change its plan.
    after.release(after.shards[0], after.claim(after.shards[0]))
    with pytest.raises(FolderMismatchError, match="words_per_shard: 100 before, 1 now"):
        corpus_of(*arguments, words_per_shard=1)


def test_changed_inputs_are_refused(pipeline, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("One two.\n\nThree four.")
    corpus = corpus_of(pipeline, [path], tmp_path / "out", words_per_shard=1)
    known = path.stat()
    # The content of a file counts, not its time.
    os.utime(path, (1, 1))
    assert corpus_of(pipeline, [path], tmp_path / "out", words_per_shard=1) == corpus
    annotate_first(corpus)
    path.write_text("One two.\n\nThree FOUR.")
    with pytest.raises(FolderMismatchError, match=r"a\.txt has changed since"):
        corpus_of(pipeline, [path], tmp_path / "out", words_per_shard=1)
    # The change is detected even if size and time are the same.
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    corpus = corpus_of(pipeline, [path], tmp_path / "out", words_per_shard=1)
    with pytest.raises(ChangedInputError, match=r"a\.txt has changed since"):
        annotate_missing(corpus)


def test_temporary_files_of_others_are_left_alone(pipeline, source, tmp_path):
    corpus = corpus_of(pipeline, [source], tmp_path)
    stray = tmp_path / "shards" / ".spacy_npparse.0123"
    stray.parent.mkdir()
    stray.touch()
    claimed = corpus.claim(corpus.shards[5])
    assert corpus.claim(corpus.shards[5]) is None
    corpus_of(pipeline, [source], tmp_path)
    assert stray.exists()
    corpus.release(corpus.shards[5], claimed)
    corpus_of(pipeline, [source], tmp_path)
    assert not stray.exists()


def test_nobody_claims_a_shard_while_another_process_plans(pipeline, source, tmp_path):
    """Planning removes temporary files, which it takes for files of killed processes."""
    corpus = corpus_of(pipeline, [source], tmp_path)
    with ThreadPoolExecutor(1) as thread:
        with planning(tmp_path):
            claimed = thread.submit(corpus.claim, corpus.shards[0])
            assert not wait([claimed], timeout=0.3).done
        assert claimed.result() is not None


def test_docs_that_cannot_be_serialized_are_quarantined(tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_trees")
    nlp.add_pipe("test_user_data")
    nlp.to_disk(tmp_path / "model")
    (tmp_path / "a.txt").write_text("One.\n\nUnserializable.\n\nThree.")
    corpus = corpus_of(tmp_path / "model", [tmp_path / "a.txt"], tmp_path / "out", format="docbin")
    [record] = annotate_missing(corpus).values()
    assert record.n_docs == 2 and record.n_quarantined == 1
    [one] = quarantined(tmp_path / "out")
    assert one["text"].strip() == "Unserializable." and one["reason"].startswith("TypeError")
    path = corpus.job.files.shard(corpus.shards[0])
    docs = list(DocBin().from_bytes(path.read_bytes()).get_docs(nlp.vocab))
    assert [doc[0].text for doc in docs] == ["One", "Three"]
    assert all(doc.user_data["kept"] == 1 for doc in docs)
    assert not any("trf_data" in key for doc in docs for key in doc.user_data)


@Language.component("test_user_data")
def add_user_data(doc):
    doc.user_data["kept"] = 1
    doc.user_data[("._.", "trf_data", None, None)] = "large"
    if doc[0].text == "Unserializable":
        doc.user_data["other"] = object()
    return doc


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_full_disk(pipeline, source, serial, tmp_path):
    corpus = corpus_of(pipeline, [source], tmp_path)
    full = corpus.job.files.shard(corpus.shards[3])
    full.parent.mkdir()
    full.symlink_to("/dev/full")
    with pytest.raises(WriteError, match=f"{full.name}: cannot be written: No space left"):
        annotate_missing(corpus)
    full.unlink()
    done = annotate_missing(corpus_of(pipeline, [source], tmp_path))
    assert 0 < len(done) < len(corpus.shards) and content(tmp_path) == content(serial)


def test_vocabularies_do_not_grow_for_ever(pipeline, source, serial, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_npparse.scaling.shards.MOST_NEW_STRINGS", 40)
    loaded = []
    load = Pipeline.load
    monkeypatch.setattr(Pipeline, "load", lambda self: loaded.append(load(self)) or loaded[-1])
    annotate_missing(corpus_of(pipeline, [source], tmp_path))
    # The only new words in each shard are the numbers of its paragraphs.
    assert 2 < len(loaded) < len(read_manifest(serial).shards)
    assert content(tmp_path) == content(serial)


def test_names_are_in_the_order_of_the_corpus(pipeline, source, tmp_path):
    shards = corpus_of(pipeline, [source], tmp_path, words_per_shard=1).shards
    assert len(shards) > 100
    assert all(a.name < b.name and a.begin < b.begin for a, b in pairwise(shards))
