"""The scores equal those of the official program, `udeval` of the package udtools."""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from spacy_npparse.evaluation import TextMismatchError, score_sentences
from spacy_npparse.evaluation.enhanced import EnhancedDependencyError
from spacy_npparse.treebank import parse_sentence, read_conllu, without_annotation
from spacy_npparse.treebank.parsing import find_cycle

UD = os.environ.get("SPACY_NPPARSE_UD")
DEV_FILES = sorted(Path(UD).rglob("*dev.conllu")) if UD else []
OFFICIAL = (
    "Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS CLAS MLAS BLEX ELAS".split()
)
# ROOT is a label like others here, although spaCy calls every root ROOT.
LABELS = ("nsubj nsubj:pass NSUBJ punct det det:x root ROOT Root ROOT:x root:x dep:ROOT _").split()

needs_udeval = pytest.mark.skipif(
    shutil.which("udeval") is None, reason="udeval is not installed (pip install udtools)"
)


def udeval(gold, system, folder):
    """Return {metric: cells of the table} from the official program."""
    for name, sentences in (("gold", gold), ("system", system)):
        text = "".join(f"{sentence}\n\n" for sentence in sentences)
        (folder / f"{name}.conllu").write_text(text, encoding="utf-8")
    command = ["udeval", "-v", folder / "gold.conllu", folder / "system.conllu"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split("|") for line in result.stdout.splitlines() if "." in line]
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows}


def ours(gold, system):
    table = score_sentences(gold, system).table().split("\n\n")[0]
    rows = [line.split("|") for line in table.splitlines() if "." in line]
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows}


def assert_equal(gold, system, folder):
    official = udeval(gold, system, folder)
    predicts_enhanced = any(word.deps != "_" for sentence in system for word in sentence.words)
    shown = OFFICIAL if predicts_enhanced else OFFICIAL[:-1]
    assert ours(gold, system) == {name: official[name] for name in shown}


def perturbed(words, random_):
    """Return columns of words with errors of all kinds; they still form a tree with one root."""
    words = [list(word) for word in words]
    heads = [-1] + [int(word[6]) for word in words]
    for dependent in range(1, len(heads)):
        if heads[dependent] != 0 and random_.random() < 0.3:
            before = heads[dependent]
            heads[dependent] = random_.randint(1, len(words))
            if heads[dependent] == dependent or find_cycle(heads):
                heads[dependent] = before
    for word, head in zip(words, heads[1:], strict=True):
        word[6] = str(head)
        for column, values in ((2, "ab"), (3, ["NOUN", "X"]), (4, ["_", "T"])):
            if random_.random() < 0.1:
                word[column] = random_.choice(values)
        if random_.random() < 0.1:
            word[5] = random_.choice(["_", "Case=Nom|Own=Yes", "Own=No"])
        if random_.random() < 0.2:
            word[7] = random_.choice(LABELS)
        if random_.random() < 0.1:
            arcs = [f"{random_.randint(1, len(words))}:{word[7]}", "0:root", "1.1:conj>nsubj:x"]
            word[8] = "|".join(random_.sample(arcs, random_.randint(1, 3)))
    return words


def same_segmentation(sentence, random_):
    words = iter(perturbed(sentence.words, random_))
    rows = [row if not row.id.isdigit() else next(words) for row in sentence.rows]
    return parse_sentence(["\t".join(row) for row in rows])


def with_enhanced_trees(sentences):
    """Copy the basic arcs of sentences to DEPS where the words have no enhanced dependencies."""
    copies = []
    for sentence in sentences:
        rows = [
            row if not row.id.isdigit() or row.deps != "_" else row._replace(deps=arc(row))
            for row in sentence.rows
        ]
        copies.append(parse_sentence(["\t".join(row) for row in rows]))
    return copies


def arc(row):
    return f"{row.head}:{row.deprel}"


def other_segmentation(sentences, random_):
    """Merge and split sentences, words and multiword tokens, and give sentences random trees."""
    tokens = []
    for sentence in sentences:
        last = 0
        multiword = {token.first: token for token in sentence.multiword_tokens}
        for i, word in enumerate(sentence.words, 1):
            if i in multiword:
                token, last = multiword[i], multiword[i].last
                tokens.append((token.row.form, [w.form for w in sentence.words[i - 1 : last]]))
            elif i > last:
                tokens.append((word.form, [word.form]))
        tokens.append(None)
    changed = []
    for token in tokens:
        chance = random_.random()
        if token is None:
            changed += [None] * (chance < 0.8)
        elif chance < 0.05 and len(token[0]) > 1:
            cut = random_.randint(1, len(token[0]) - 1)
            changed += [(part, [part]) for part in (token[0][:cut], token[0][cut:])]
        elif chance < 0.1 and changed and changed[-1]:
            surface, words = changed.pop()
            joined = surface + token[0]
            changed.append((joined, random_.choice([[joined], words + token[1], ["x", *words]])))
        elif chance < 0.15:
            changed.append((token[0], random_.choice([[token[0]], token[1][:1] + ["le"]])))
        else:
            changed += [token] + [None] * (chance > 0.99)
    system, sentence = [], []
    for token in [*changed, None]:
        if token is not None:
            sentence.append(token)
        elif sentence:
            system.append(random_tree(sentence, random_))
            sentence = []
    return system


def random_tree(tokens, random_):
    words, lines = [], []
    n = sum(len(forms) for _, forms in tokens)
    for surface, forms in tokens:
        if forms != [surface]:
            lines.append(f"{len(words) + 1}-{len(words) + len(forms)}\t{surface}" + "\t_" * 8)
        for form in forms:
            head = random_.randint(len(words), min(len(words) + 1, n)) if words else 0
            head = head if head != len(words) + 1 else len(words)
            deprel = random_.choice(["nsubj", "punct", "case", "obl:x"]) if head else "root"
            words.append(form)
            lines.append(f"{len(words)}\t{form}\t{form}\tNOUN\t_\t_\t{head}\t{deprel}\t_\t_")
    return parse_sentence(lines)


@needs_udeval
@pytest.mark.skipif(not UD, reason="SPACY_NPPARSE_UD names no folder with UD treebanks")
@pytest.mark.parametrize("path", DEV_FILES, ids=lambda path: path.name)
class TestTreebanks:
    def test_same_segmentation(self, path, tmp_path):
        gold = list(read_conllu(path))
        random_ = random.Random(1)
        system = [same_segmentation(sentence, random_) for sentence in gold]
        assert_equal(with_enhanced_trees(gold), system, tmp_path)

    def test_other_segmentation(self, path, tmp_path):
        gold = list(read_conllu(path))
        system = other_segmentation(gold, random.Random(2))
        assert_equal(with_enhanced_trees(gold), with_enhanced_trees(system), tmp_path)


GOLD = [
    parse_sentence(
        [
            "1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_",
            "1\tvamos\tir\tVERB\t_\t_\t0\troot\t_\t_",
            "2\tnos\tyo\tPRON\t_\t_\t1\tobj\t_\t_",
            "3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_",
            "3\ta\ta\tADP\t_\t_\t5\tcase\t_\t_",
            "4\tel\tel\tDET\t_\t_\t5\tdet\t_\t_",
            "5\tmar\tmar\tNOUN\t_\t_\t1\tobl:x\t_\t_",
        ]
    ),
    parse_sentence(
        [
            "1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_",
            "2-3\tdelo\t_\t_\t_\t_\t_\t_\t_\t_",
            "2\tde\tde\tADP\t_\t_\t3\tcase\t_\t_",
            "3\tlo\tlo\tPRON\t_\t_\t1\tobl\t_\t_",
        ]
    ),
]


@needs_udeval
@pytest.mark.parametrize("seed", range(2))
def test_small_perturbations(tmp_path, seed):
    gold, random_ = GOLD * 20, random.Random(seed)
    assert_equal(gold, other_segmentation(gold, random_), tmp_path)
    gold = with_enhanced_trees(gold)
    assert_equal(gold, [same_segmentation(sentence, random_) for sentence in gold], tmp_path)


@needs_udeval
def test_any_segmentation(tmp_path):
    """Tokens overlap with multiword tokens of the other analysis in all ways."""
    random_ = random.Random(0)
    gold, system = [], []
    for _ in range(1000):
        text = "".join(random_.choices("ab", k=random_.randint(2, 12)))
        gold.append(random_segmentation(text, random_))
        system.append(random_segmentation(text, random_))
    assert_equal(gold, system, tmp_path)


def random_segmentation(text, random_):
    """Cut a text into tokens, some of which are multiword tokens."""
    tokens = []
    while text:
        length = random_.randint(1, 4)
        token, text = text[:length], text[length:]
        forms = random_.choices(["a", "b", "ab", token], k=random_.choice([1, 1, 2, 3]))
        tokens.append((token, forms if len(forms) > 1 else [token]))
    return random_tree(tokens, random_)


def test_morphology_and_lemmas_of_trees():
    def scores(*changes):
        text = str(GOLD[0])
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        found = score_sentences(GOLD[:1], [parse_sentence(text.split("\n"))]).official
        return [found[name].correct for name in ("LAS", "CLAS", "MLAS", "BLEX")]

    assert scores() == [5, 3, 3, 3]
    # A wrong tag of a function word is an error of its head; its lemma does not count.
    assert scores(("\tel\tel\tDET", "\tel\tel\tPRON")) == [5, 3, 2, 3]
    assert scores(("\tel\tel\tDET\t_\t_", "\tel\tl\tDET\t_\tPolite=Form")) == [5, 3, 2, 3]
    assert scores(("\tel\tel\tDET\t_\t_", "\tel\tl\tDET\tx\tOwn=1")) == [5, 3, 3, 3]
    assert scores(("PRON\t_\t_\t1\tobj", "PRON\t_\t_\t1\tcase")) == [4, 2, 1, 2]
    assert scores(("\tmar\tmar\t", "\tmar\tsea\t")) == [5, 3, 3, 2]
    # A function word has another head.
    assert scores(("DET\t_\t_\t5", "DET\t_\t_\t2")) == [4, 3, 1, 3]


def test_function_words_without_gold_head_do_not_count():
    gold = [
        parse_sentence(str(GOLD[0]).replace("DET\t_\t_\t5\tdet", "DET\t_\t_\t_\t_").split("\n"))
    ]
    assert score_sentences(gold, GOLD[:1]).official["MLAS"].f1 == 1


def test_scores_of_missing_gold_columns_are_named():
    scores = score_sentences(GOLD, GOLD)
    assert scores.without_gold == ["XPOS", "UFeats", "ELAS"]
    assert "lacks the columns of: XPOS, UFeats. These scores are meaningless." in scores.table()
    bare = [parse_sentence(without_annotation(sentence).split("\n")) for sentence in GOLD]
    columns = ["UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"]
    trees = ["UAS", "LAS", "CLAS", "MLAS", "BLEX"]
    assert score_sentences(bare, GOLD).without_gold == [*columns, *trees, "ELAS"]
    unlabelled = parse_sentence(["1\tGo\tgo\tVERB\t_\t_\t0\t_\t_\t_"])
    lacking = score_sentences([unlabelled], [unlabelled]).without_gold
    assert [name for name in lacking if name in trees] == trees[1:]
    enhanced = score_sentences(GOLD, with_enhanced_trees(GOLD))
    assert enhanced.official["ELAS"].f1 == 0 and "UFeats, ELAS. These" in enhanced.table()


@pytest.mark.parametrize("deps", ["x:obj", "4:obj", "obj", "9" * 5000 + ":obj"])
def test_enhanced_dependencies_that_cannot_be_read(deps):
    gold = with_enhanced_trees(GOLD[1:])
    bad = [parse_sentence(str(gold[0]).replace("1:obl", deps).split("\n"))]
    with pytest.raises(EnhancedDependencyError, match=f"'{deps[:50]}.* of the word 'lo' .word 3 "):
        score_sentences(gold, bad)
    # Gold DEPS are not read if they are not scored.
    assert score_sentences(bad, GOLD[1:]).official["ELAS"].correct == 0


@needs_udeval
def test_spaces_count_in_words_of_multiword_tokens_only(tmp_path):
    gold = [parse_sentence(["1\t8 000\t_\tNUM\t_\t_\t0\troot\t_\t_"])]
    words = ["1\t{}\t_\tNUM\t_\t_\t0\troot\t_\t_", "2\tle\t_\tDET\t_\t_\t1\tdet\t_\t_"]
    for form, n_aligned in (("8 000", 0), ("8000", 1)):
        lines = ["1-2\t8 000" + "\t_" * 8, words[0].format(form), words[1]]
        system = [parse_sentence(lines)]
        assert_equal(gold, system, tmp_path)
        assert score_sentences(gold, system).official["Words"].correct == n_aligned


@needs_udeval
def test_neighbouring_multiword_tokens(tmp_path):
    def sentence(first, second, lemma):
        words = [*first, *second]
        lines = [
            f"{i}\t{form}\t{lemma}\t_\t_\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_"
            for i, form in enumerate(words, 1)
        ]
        lines.insert(2, "3-4\tcd" + "\t_" * 8)
        lines.insert(0, "1-2\tab" + "\t_" * 8)
        return parse_sentence(lines)

    gold = [sentence("xy", "zw", "_")]
    system = [sentence("Xz", "yw", "l")]
    assert_equal(gold, system, tmp_path)
    scores = score_sentences(gold, system).official
    # Words x and w are in the same token in both analyses; no words are aligned across tokens.
    assert scores["Words"].correct == 2
    # If the gold lemma is missing, any lemma is right.
    assert scores["Lemmas"].correct == 2


def test_different_text():
    other = [parse_sentence(["1\tVámonosa\t_\t_\t_\t_\t0\troot\t_\t_"])]
    with pytest.raises(TextMismatchError, match="differ at character 9 .* gold …Vámonosalmar"):
        score_sentences(GOLD, other)


def test_white_space_does_not_count():
    spaced = [parse_sentence(["1\t10 000\t_\t_\t_\t_\t0\troot\t_\t_"])]
    tight = [parse_sentence(["1\t10\xa0000\t_\t_\t_\t_\t0\troot\t_\t_"])]
    assert score_sentences(spaced, tight).official["LAS"].f1 == 1


def test_missing_gold_heads_are_not_counted():
    partial = ["1\ta\t_\t_\t_\t_\t0\troot\t_\t_", "2\tb\t_\t_\t_\t_\t_\t_\t_\t_"]
    full = [partial[0], "2\tb\t_\t_\t_\t_\t1\tobj\t_\t_"]
    unlabelled = [partial[0], "2\tb\t_\t_\t_\t_\t1\t_\t_\t_"]
    scores = score_sentences([parse_sentence(partial)], [parse_sentence(full)])
    for name in ("UAS", "LAS", "CLAS"):
        score = scores.official[name]
        assert (score.correct, score.gold, score.system) == (1, 1, 1)
    partial[1] = "2\tb\t_\t_\t_\t_\t_\tobj\t_\t_"
    scores = score_sentences([parse_sentence(partial)], [parse_sentence(full)])
    assert scores.exact_match is None
    assert set(scores.per_relation) == {"root"}
    reverse = score_sentences([parse_sentence(full)], [parse_sentence(partial)]).official
    assert (reverse["LAS"].correct, reverse["LAS"].gold, reverse["LAS"].system) == (1, 2, 2)
    labels = score_sentences([parse_sentence(unlabelled)], [parse_sentence(full)]).official
    assert (labels["UAS"].gold, labels["LAS"].gold, labels["LAS"].system) == (2, 1, 1)


def test_words_without_gold_annotation_are_counted():
    def counted(*changes):
        text = str(GOLD[0])
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        scores = score_sentences([parse_sentence(text.split("\n")), GOLD[1]], GOLD)
        found = scores.as_dict()
        return found["words_without_head"], found["words_without_relation"], scores.table()

    assert counted()[:2] == (0, 0) and "gold words" not in counted()[2]
    *found, table = counted(("\t5\t", "\t_\t"), ("\tobj\t", "\t_\t"))
    assert found == [2, 1]
    note = "Of 8 gold words, 2 have no head and are not in the scores of trees, 1 have no relation"
    assert note in table


def test_exact_match_and_relations():
    wrong = str(GOLD[1]).replace("\tobl\t", "\tnmod\t").split("\n")
    scores = score_sentences(GOLD, [GOLD[0], parse_sentence(wrong)])
    assert (scores.exact_match.correct, scores.exact_match.gold) == (1, 2)
    assert scores.per_relation["obl"].precision == 1 and scores.per_relation["obl"].recall == 0.5
    assert scores.per_relation["nmod"].system == 1 and scores.per_relation["nmod"].gold == 0


def test_scores_of_missing_predicted_columns_are_named():
    bare = [parse_sentence(without_annotation(sentence).split("\n")) for sentence in GOLD]
    scores = score_sentences(GOLD, bare)
    columns, trees = "UPOS XPOS UFeats AllTags Lemmas", "UAS LAS CLAS MLAS BLEX ELAS"
    assert scores.without_prediction == [*columns.split(), *trees.split()]
    # The gold annotation has neither XPOS nor FEATS.
    note = "lacks the columns of: UPOS, AllTags, Lemmas, UAS, LAS, CLAS, MLAS, BLEX."
    assert note in scores.table()
    assert score_sentences(GOLD, GOLD).without_prediction == ["XPOS", "UFeats", "ELAS"]
    # Parsers that predict no enhanced dependencies have no ELAS.
    assert "prediction lacks" not in score_sentences(with_enhanced_trees(GOLD), GOLD).table()
