"""The tokens that UDPipe 1 finds itself."""

import re
from itertools import pairwise

from ufal import udpipe

# What it cannot read, and white space that is none to it.
UNREADABLE = re.compile("[\0\ud800-\udfff]")
OTHER_SPACE = re.compile(r"[^\S\n\r\t]")
# From each character of such a run, it reads on to its end.
LONG_RUN = re.compile(r"(?<![\w$.+!*'(),%;/?:@&=-])[\w$.+!*'(),%;/?:@&=-]{501,}", re.ASCII)


def udpipe_model(path):
    """A model. path: its file."""
    return udpipe.Model.load(str(path))


def udpipe_tokens(model, text):
    """Start and end of each token of a text, whose long runs are cut."""
    text = OTHER_SPACE.sub(" ", UNREADABLE.sub("\ufffd", text))
    cuts = [c for run in LONG_RUN.finditer(text) for c in range(run.start() + 500, run.end(), 500)]
    for begin, end in pairwise([0, *cuts, len(text)]):
        reader = model.newTokenizer("ranges")
        reader.setText(text[begin:end])
        while reader.nextSentence(sentence := udpipe.Sentence()):
            for word in sentence.words[1:]:
                yield begin + word.getTokenRangeStart(), begin + word.getTokenRangeEnd()
