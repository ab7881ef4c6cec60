"""Training updates outside of `spacy train`, for the benchmarks."""

from collections.abc import Iterator
from typing import Any

from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example
from spacy.training.loop import create_train_batches
from spacy.util import registry, resolve_dot_names


class Updates:
    """The updates of a pipeline, with the corpus, the batches and the optimizer of its config.

    Args:
        nlp: The initialized pipeline.
    """

    def __init__(self, nlp: Language):
        config = nlp.config.interpolate()
        self.nlp = nlp
        self.settings: dict[str, Any] = registry.resolve(
            config["training"], schema=ConfigSchemaTraining
        )
        (corpus,) = resolve_dot_names(config, [self.settings["train_corpus"]])
        self._batches: Iterator[tuple[int, list[Example]]] = create_train_batches(
            nlp, corpus, self.settings["batcher"], max_epochs=0
        )

    def batch(self) -> list[Example]:
        """Return the next batch."""
        return next(self._batches)[1]

    def update(self, batch: list[Example]) -> None:
        """Make one update. Given the optimizer, `nlp.update` would update shared encoders one batch
        late."""
        optimizer = self.settings["optimizer"]
        self.nlp.update(batch, sgd=False, drop=self.settings["dropout"])
        for _, component in self.nlp.pipeline:
            if hasattr(component, "finish_update"):
                component.finish_update(optimizer)
        optimizer.step_schedules()
