"""A program that trains a tokenizer of UDPipe 1.

    python trainer_program.py OPTIONS train.conllu model.udpipe

UDPipe's trainer writes its progress to stderr and cannot be interrupted from Python, so it runs in
a process of its own. This program imports only UDPipe, so that it starts at once. If the process
that started it has been killed, nobody reads its progress, and it ends as well.
"""

import signal
import sys
from pathlib import Path

from ufal import udpipe


def main(options: str, train: str, model: str) -> None:
    """Train a tokenizer. An error of UDPipe ends the program.

    Args:
        options: The training options in the syntax of UDPipe.
        train: The CoNLL-U file to train on.
        model: The file for the model.
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
    # Python ignores this signal, and UDPipe ignores errors of writing. Windows does not have it.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main(*sys.argv[1:])
