"""Write the sample treebank: German-like sentences in CoNLL-U, a third of them non-projective.

Run `python assets/sample_treebank/generate.py [OUT_DIR]`. It writes sample-ud-train.conllu,
sample-ud-dev.conllu and sample-ud-test.conllu to OUT_DIR (default: this folder) and prints the
statistics table of the README. The same files come out on every machine and Python version.
Only the standard library is needed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from crossing import CrossingGrammar
from morphology import Word
from phrases import Chooser, Rejected

SEED = 2017
SIZES = {"train": 540, "dev": 120, "test": 120}
PARAGRAPH, DOCUMENT = 5, 25  # sentences

# Share of each construction in percent.
WEIGHTS = {
    "declarative": 12,
    "question_yes_no": 3,
    "question_word": 5,
    "passive": 5,
    "copula": 5,
    "subordinate_last": 5,
    "subordinate_first": 4,
    "clause_coordination": 4,
    "shared_subject": 3,
    "relative_adjacent": 7,
    "infinitive_last": 3,
    "infinitive_coherent": 2,
    "purpose": 2,
    "direct_speech": 2,
    "request": 2,
    "existential": 1,
    "content_clause_adjacent": 1,
    "relative_extraposed": 9,
    "split_noun_phrase": 4,
    "floating_quantifier": 2,
    "infinitive_topic": 3,
    "infinitive_fronted": 2,
    "third_construction": 3,
    "long_distance_question": 3,
    "phrase_extraposed": 2,
    "comparison_extraposed": 2,
    "partitive_topic": 2,
    "stranded_preposition": 1,
    "content_clause_extraposed": 1,
}

CONTRACTIONS = {
    ("in", "dem"): "im",
    ("an", "dem"): "am",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("von", "dem"): "vom",
    ("in", "das"): "ins",
}
MAX_WORDS = 24


def tidy(words: list[Word]) -> list[Word]:
    """Drop a comma before another mark, then capitalise the first word.

    Raises:
        Rejected: the sentence is too long, or a relative pronoun agrees with two nouns.
    """
    words = [
        w
        for w, after in zip(words, [*words[1:], None], strict=True)
        if not (w.form == "," and after is not None and after.upos == "PUNCT")
    ]
    if len(words) > MAX_WORDS or not _relatives_decided(words):
        raise Rejected
    first = next(w for w in words if w.upos != "PUNCT")
    first.form = first.form[0].upper() + first.form[1:]
    return words


def _agreement_key(word: Word) -> str:
    """Agreement class of an antecedent: feminine singular and plural share the form "die"."""
    if word.feats.get("Number") == "Plur":
        return "die"
    return {"Fem": "die"}.get(word.feats.get("Gender", ""), word.feats.get("Gender", ""))


def _relatives_decided(words: list[Word]) -> bool:
    for position, word in enumerate(words):
        if word.deprel != "acl:relcl" or word.head is None:
            continue
        antecedent = word.head
        opening = next(
            i
            for i in range(words.index(antecedent), position)
            if words[i].form == "," and words[i].head is word
        )
        rivals = [
            w
            for w in words[:opening]
            if w.upos in ("NOUN", "PROPN")
            and w is not antecedent
            and _agreement_key(w) == _agreement_key(antecedent)
        ]
        if rivals:
            return False
    return True


def heads_of(words: list[Word]) -> list[int]:
    """Heads as positions 1..n, 0 for the root."""
    position = {id(w): i for i, w in enumerate(words, 1)}
    return [0 if w.head is None else position[id(w.head)] for w in words]


def is_nonprojective(heads: list[int]) -> bool:
    """Whether some arc (h, d) spans a word that is no descendant of h (the root is word 0)."""

    def below(word: int, ancestor: int) -> bool:
        while word not in (0, ancestor):
            word = heads[word - 1]
        return word == ancestor

    return any(
        not below(between, head)
        for dependent, head in enumerate(heads, 1)
        for between in range(min(head, dependent) + 1, max(head, dependent))
    )


def contracted(words: list[Word], i: int) -> str | None:
    """The written form of words i and i + 1 where preposition and article contract."""
    if i + 1 >= len(words) or words[i + 1].feats.get("PronType") != "Art":
        return None
    form = CONTRACTIONS.get((words[i].form.lower(), words[i + 1].form))
    if form is None or words[i].upos != "ADP" or words[i].head is not words[i + 1].head:
        return None
    return form.capitalize() if words[i].form[0].isupper() else form


def glued(words: list[Word], i: int) -> bool:
    """Whether no space follows word i."""
    if words[i].form == "„":
        return True
    return i + 1 == len(words) or (words[i + 1].upos == "PUNCT" and words[i + 1].form != "„")


def conllu_lines(words: list[Word]) -> tuple[str, list[str]]:
    """The plain text of a sentence and its CoNLL-U lines."""
    text, lines, heads, inside = "", [], heads_of(words), False
    for i, word in enumerate(words):
        last = i + 1 == len(words)
        misc = "SpaceAfter=No" if glued(words, i) and not last else "_"
        pair = contracted(words, i)
        if pair:
            wide_misc = "SpaceAfter=No" if glued(words, i + 1) else "_"
            lines.append("\t".join([f"{i + 1}-{i + 2}", pair, *"_______", wide_misc]))
            text += pair + (" " if wide_misc == "_" else "")
        elif not inside:
            text += word.form + (" " if misc == "_" and not last else "")
        if pair or inside:
            misc = "_"
        inside = bool(pair)
        feats = "|".join(f"{k}={v}" for k, v in sorted(word.feats.items())) or "_"
        columns = [word.form, word.lemma, word.upos, "_", feats, str(heads[i]), word.deprel]
        lines.append("\t".join([str(i + 1), *columns, "_", misc]))
    return text, lines


def draw(make: Callable[[], list[Word]]) -> list[Word]:
    """Rejection sampling of a sentence that the grammar accepts."""
    while True:
        try:
            return tidy(make())
        except Rejected:
            continue


def sentences(total: int) -> list[tuple[str, list[Word]]]:
    """All sentences, no two with the same text, as (construction, words)."""
    choose = Chooser(SEED)
    grammar = CrossingGrammar(choose)
    seen: set[str] = set()
    result: list[tuple[str, list[Word]]] = []
    while len(result) < total:
        hundred = [name for name, weight in WEIGHTS.items() for _ in range(weight)]
        for name in choose.shuffled(hundred):
            words = draw(getattr(grammar, name))
            text = conllu_lines(words)[0]
            if text not in seen and len(result) < total:
                seen.add(text)
                result.append((name, words))
    return result


def document(split: str, items: list[tuple[str, list[Word]]]) -> str:
    """One CoNLL-U file with document and paragraph marks."""
    blocks = []
    for i, (name, words) in enumerate(items):
        text, lines = conllu_lines(words)
        comments = []
        if i % DOCUMENT == 0:
            comments.append(f"# newdoc id = {split}-{i // DOCUMENT + 1}")
        if i % PARAGRAPH == 0:
            comments.append("# newpar")
        comments += [f"# sent_id = {split}-{i + 1}", f"# construction = {name}", f"# text = {text}"]
        blocks.append("\n".join([*comments, *lines]) + "\n\n")
    return "".join(blocks)


def statistics(splits: dict[str, list[tuple[str, list[Word]]]]) -> str:
    """The Markdown table of the README."""
    rows = [
        "| split | sentences | words | words per sentence | multiword tokens | non-projective |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for split, items in splits.items():
        count: Counter[str] = Counter()
        for _, words in items:
            count["words"] += len(words)
            count["wide"] += sum(contracted(words, i) is not None for i in range(len(words)))
            count["crossing"] += is_nonprojective(heads_of(words))
        n = len(items)
        rows.append(
            f"| {split} | {n:,} | {count['words']:,} | {count['words'] / n:.1f} "
            f"| {count['wide']} | {count['crossing']} ({100 * count['crossing'] / n:.1f} %) |"
        )
    return "\n".join(rows)


def main(folder: Path) -> None:
    """Write the three files and print the statistics."""
    items = sentences(sum(SIZES.values()))
    splits, start = {}, 0
    for split, size in SIZES.items():
        splits[split] = items[start : start + size]
        start += size
    folder.mkdir(parents=True, exist_ok=True)
    for split, part in splits.items():
        path = folder / f"sample-ud-{split}.conllu"
        draft = path.with_suffix(".tmp")
        draft.write_text(document(split, part), encoding="utf-8", newline="\n")
        draft.replace(path)
    print(statistics(splits))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
