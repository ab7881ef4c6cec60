"""A program that trains a tokenizer of UDPipe 1.

    python trainer_program.py OPTIONS train.conllu model.udpipe

UDPipe's trainer writes its progress to stderr and cannot be interrupted from Python: hence a
process of its own. It imports nothing but UDPipe, so that it starts at once. If nobody reads its
progress any more because the process that started it has been killed, it ends, too.
"""

import signal
import sys
from pathlib import Path

from ufal import udpipe


def main(options: str, train: str, model: str) -> None:
    """Train a tokenizer; an error of UDPipe ends the program.

    Args:
        options: Training options in the syntax of UDPipe.
        train: CoNLL-U file to train on.
        model: File for the model.
    """
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(Path(train).read_text(encoding="utf-8"))
    sentences, error = udpipe.Sentences(), udpipe.ProcessingError()
    while reader.nextSentence(sentence := udpipe.Sentence(), error):
        sentences.append(sentence)
    trained = b""
    if not error.occurred():
        none = udpipe.Trainer.NONE
        trained = udpipe.Trainer.train(
            "morphodita_parsito", sentences, udpipe.Sentences(), options, none, none, error
        )
    if error.occurred():
        sys.exit(error.message)
    Path(model).write_bytes(trained)


if __name__ == "__main__":
    # Python ignores the signal, and UDPipe errors of writing. Windows does not have it.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main(*sys.argv[1:])
