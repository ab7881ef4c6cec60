"""Tokens that UDPipe 1 finds, for comparison with the tokenizer of this package."""

import re
from itertools import pairwise

from ufal import udpipe

# Characters that UDPipe cannot read, and white space that UDPipe does not treat as such.
UNREADABLE = re.compile("[\0\ud800-\udfff]")
OTHER_SPACE = re.compile(r"[^\S\n\r\t]")
# UDPipe reads from each character of such a run to the end of the run, which takes quadratic time.
LONG_RUN = re.compile(r"(?<![\w$.+!*'(),%;/?:@&=-])[\w$.+!*'(),%;/?:@&=-]{501,}", re.ASCII)


def udpipe_model(path):
    """Load a model. path: the file of the model."""
    return udpipe.Model.load(str(path))


def udpipe_tokens(model, text):
    """Yield start and end of each token of a text, in which long runs are cut."""
    text = OTHER_SPACE.sub(" ", UNREADABLE.sub("\ufffd", text))
    cuts = [c for run in LONG_RUN.finditer(text) for c in range(run.start() + 500, run.end(), 500)]
    for begin, end in pairwise([0, *cuts, len(text)]):
        reader = model.newTokenizer("ranges")
        reader.setText(text[begin:end])
        while reader.nextSentence(sentence := udpipe.Sentence()):
            for word in sentence.words[1:]:
                yield begin + word.getTokenRangeStart(), begin + word.getTokenRangeEnd()
