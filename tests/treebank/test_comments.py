"""The keys of comments."""

import pytest

from spacy_npparse.treebank import parse_sentence
from spacy_npparse.treebank.rows import with_comments
from spacy_npparse.treebank.sentence import comment_key

ROW = "1\tGo\t_\t_\t_\t_\t0\troot\t_\t_"


@pytest.mark.parametrize(
    "comment",
    ["# sent_id = s1", "#sent_id=s1", "# newpar", "# newdoc id = d1", "## sent_id = old", "# = x"],
)
def test_keys_are_those_that_conllu_finds(comment):
    sentence = parse_sentence([comment, ROW])
    assert [comment_key(one) for one in sentence.comments] == list(sentence.metadata)


def test_a_comment_replaces_only_those_with_the_same_key():
    sentence = parse_sentence(["## sent_id = old", "# sent_id = s1", ROW])
    changed = with_comments(sentence, {"sent_id": "s2"})
    assert changed.comments == ("# sent_id = s2", "## sent_id = old")
    assert changed.sent_id == "s2"
