"""The encoder: embeddings of words, batches, sentence boundaries and dropout."""

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc

from spacy_npparse.models.char_bilstm import CharBiLSTM, make_batch
from spacy_npparse.models.char_bilstm_net import CharBiLSTMNet
from spacy_npparse.models.shim import torch_shim
from spacy_npparse.word_forms import add_multiword_tokens


def encoder_and_batch(words):
    model = CharBiLSTM(width=8, word_width=6, char_width=4, affix_width=2)
    model.initialize()
    doc = Doc(spacy.blank("xx").vocab, words=words)
    batch, _ = make_batch([doc], max_chars=8, char_rows=64, affix_rows=50, cut=True)
    return torch_shim(model, CharBiLSTMNet).net, batch


def test_new_weights_and_words_when_it_is_initialized_again():
    model = CharBiLSTM(width=8, word_width=6, char_width=4, affix_width=2)
    model.initialize()
    net = torch_shim(model, CharBiLSTMNet).net
    with torch.no_grad():
        net.word_embedding.weight.fill_(7.0)
    model.initialize()
    again = torch_shim(model, CharBiLSTMNet).net
    assert again is not net and not (again.word_embedding.weight == 7.0).any()


def test_large_batches_are_encoded_in_parts():
    """A part has up to 20,000 words, or is a single Doc."""
    model = CharBiLSTM(width=8, word_width=6, char_width=4, affix_width=2)
    model.initialize()
    vocab = spacy.blank("xx").vocab
    docs = [
        Doc(vocab, words=["so", "ein", "Haus"] * n, sent_starts=[1, -1, -1] * n)
        for n in (1, 0, 8000, 2000, 3000)
    ]
    alone = [model.predict([doc])[0] for doc in docs]
    sizes = []
    net = torch_shim(model, CharBiLSTMNet).net
    net.register_forward_pre_hook(lambda module, inputs: sizes.append(len(inputs[0].form_of_word)))
    for vectors, expected in zip(model.predict(docs), alone, strict=True):
        np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert sum(sizes) == 39_003 and max(sizes) == 24_000 and len(sizes) > 2


def test_combining_characters_are_composed():
    model = CharBiLSTM(width=8, word_width=6, char_width=4, affix_width=2)
    model.initialize()
    vocab = spacy.blank("xx").vocab
    docs = [Doc(vocab, words=["ein", one]) for one in ("fé", "fe\u0301")]
    model(docs[:1], is_train=True)
    composed, combining = model.predict(docs)
    np.testing.assert_allclose(composed, combining, atol=1e-6)


def test_capitals_are_read_in_lower_case():
    """Sentences do not depend on their neighbours, unless their boundaries are to be found."""
    model = CharBiLSTM(width=8, word_width=6, char_width=4, affix_width=2)
    model.initialize()
    vocab = spacy.blank("xx").vocab
    words = ["WIR", "SEHEN", "2", "HÄUSER", "IM", "Dorf"]
    starts = [[1, -1, -1, -1, -1, -1], [1, -1, -1, 1, -1, -1]]
    lower = [word.lower() for word in words[:-1]] + words[-1:]
    for start, is_same in zip(starts, [True, False], strict=True):
        upper, expected = model.predict(
            [Doc(vocab, words=one, sent_starts=start) for one in (words, lower)]
        )
        assert np.allclose(upper, expected) == is_same


def test_words_of_multiword_tokens_are_read_as_they_are():
    """The encoder reads syntactic words, not the slices of the text."""
    model = CharBiLSTM(width=8, word_width=6, char_width=4, affix_width=2)
    model.initialize()
    vocab = spacy.blank("xx").vocab
    sliced = Doc(vocab, words=["va", "d", "u", "lit"])
    add_multiword_tokens(sliced, [(1, ("de", "le"))])
    words = Doc(vocab, words=["va", "de", "le", "lit"])
    (found,), (expected,) = model.predict([sliced]), model.predict([words])
    assert np.array_equal(found, expected)


def test_given_sentences_have_the_same_vectors_alone_and_in_a_document():
    model = CharBiLSTM(width=8, word_width=6, char_width=4, affix_width=2)
    model.initialize()
    vocab = spacy.blank("xx").vocab
    sentences = [["Ein", "Satz"], ["Noch", "ein", "Satz"], ["Ende"]]
    words = [word for sentence in sentences for word in sentence]
    given = Doc(vocab, words=words, sent_starts=[1, -1, 1, -1, -1, 1])
    # One sentence start is given, and all other words may or may not start sentences.
    partly = Doc(vocab, words=words, sent_starts=[0, 0, 1, 0, 0, 0])
    free = Doc(vocab, words=words)
    alone = [Doc(vocab, words=sentence) for sentence in sentences]
    in_document, in_part, joined, *single = model.predict([given, partly, free, *alone])
    np.testing.assert_allclose(in_document, np.concatenate(single), atol=1e-6)
    np.testing.assert_allclose(in_part[:2], single[0], atol=1e-6)
    (rest,) = model.predict([Doc(vocab, words=words[2:])])
    np.testing.assert_allclose(in_part[2:], rest, atol=1e-6)
    assert not np.allclose(joined, in_document, atol=1e-3)
    # In training, given boundaries are not used, because the parser has to learn them.
    trained, _ = model.begin_update([given])
    np.testing.assert_allclose(trained[0], joined, atol=1e-6)


def test_words_seen_twice_add_a_vector_of_their_own_to_their_spelling():
    net, batch = encoder_and_batch(["der", "Hund", "der", "Katze"])
    net.train()
    net.embed(batch)  # counts the words
    net.eval()
    with torch.no_grad():
        vectors = net.embed(batch)
        spelled = net.spell(batch)[torch.from_numpy(batch.form_of_word)]
    row = net.vocabulary.rows(batch.words).max()
    own = net.word_embedding.weight[row]
    assert torch.equal(vectors[1], spelled[1]) and torch.equal(vectors[3], spelled[3])
    assert torch.allclose(vectors[0], spelled[0] + own) and torch.equal(vectors[0], vectors[2])


def test_rare_words_are_often_known_by_their_spelling_alone_in_training():
    torch.manual_seed(0)
    net, batch = encoder_and_batch(["zwei"] * 2 + ["einmal"] + ["oft"] * 200)
    net.train()
    net.embed(batch)
    with torch.no_grad():
        vectors = net.embed(batch)
        spelled = net.spell(batch)[torch.from_numpy(batch.form_of_word)]
    by_spelling = (vectors == spelled).all(dim=1)
    assert by_spelling[2]
    assert 0 < by_spelling[3:].sum() < 20


def test_block_dropout_leaves_whole_words_blank_in_training_only():
    torch.manual_seed(0)
    net, batch = encoder_and_batch(["Wort"] * 1000)
    net.block_dropout = 0.25
    read = []
    net.word_lstm.register_forward_pre_hook(lambda module, inputs: read.append(inputs[0]))
    net.train()(batch)
    net.eval()(batch)
    in_training, in_prediction = read
    blank = (in_training == 0.0).all(dim=1)
    assert 0.2 < blank.float().mean() < 0.3 and (in_training[~blank] != 0.0).all()
    assert (in_prediction != 0.0).all()


def test_affix_dropout_leaves_whole_affixes_out_in_training_only():
    torch.manual_seed(0)
    words = [f"{prefix}{suffix}" for prefix in "abcdefghij" for suffix in "klmnopqrst"]
    net, batch = encoder_and_batch(words)
    torch.nn.init.ones_(net.affix_embedding.weight)
    net.affix_dropout = 0.25
    read = []
    net.spelling.register_forward_pre_hook(lambda module, inputs: read.append(inputs[0]))
    net.train().spell(batch)
    net.eval().spell(batch)
    in_training, in_prediction = (inputs[:, -12:].reshape(len(words), 6, 2) for inputs in read)
    assert (in_training[..., 0] == in_training[..., 1]).all()
    kept = in_training[..., 0] != 0.0
    assert 0.7 < kept.float().mean() < 0.8
    # The remaining values are scaled up, so that their mean is the same as in prediction.
    torch.testing.assert_close(in_training[..., 0], kept / 0.75)
    assert (in_prediction == 1.0).all()


def test_dropout_rates_reach_the_network():
    model = CharBiLSTM(block_dropout=0.25, spelling_dropout=0.125)
    model.initialize()
    model.attrs["dropout_rate"] = 0.5
    model([Doc(spacy.blank("xx").vocab, words=["Wort"])], is_train=True)
    net = torch_shim(model, CharBiLSTMNet).net
    assert (net.word_lstm.dropout, net.block_dropout) == (0.5, 0.25)
    assert (net.char_lstm.dropout, net.affix_dropout) == (0.125, 0.125)


@pytest.mark.parametrize("rate", [-0.1, 1.0])
@pytest.mark.parametrize("name", ["block_dropout", "spelling_dropout"])
def test_dropout_rates_are_checked(name, rate):
    with pytest.raises(ValueError, match=rf"{name} is .*, but must be in \[0, 1\)"):
        CharBiLSTM(**{name: rate})
