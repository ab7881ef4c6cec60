"""spaCy's own parser, arc-eager and pseudo-projective, trained by its quickstart config."""

from __future__ import annotations

from dataclasses import dataclass

from spacy.cli.init_config import init_config
from spacy.util import load_config
from thinc.api import Config

from spacy_npparse.laboratory.contestants import Task
from spacy_npparse.laboratory.pipeline import TrainedPipeline


@dataclass(frozen=True)
class SpacyPipeline(TrainedPipeline):
    """spaCy's `parser` with the model and batches of its quickstart config for efficiency, but this
    package's corpus reader and scorer."""

    name = "spacy"
    model_name = "spacy"
    is_peer = True

    def config(self, task: Task) -> Config:
        """See `TrainedPipeline`."""
        lang = load_config(task.config)["nlp"]["lang"]
        config = init_config(lang=lang, pipeline=["parser"], optimize="efficiency")
        parser = config["components"]["parser"]
        # By default infrequent labels of lifted arcs are discarded.
        parser["min_action_freq"] = 1
        parser["scorer"] = {"@scorers": "spacy_npparse.parser_scorer.v1"}
        for part in ("train", "dev"):
            config["corpora"][part] = {
                "@readers": "spacy_npparse.ConlluCorpus.v1",
                "path": f"${{paths.{part}}}",
                "shuffle": part == "train",
            }
        config["training"]["score_weights"] = {"dep_las": 1.0}
        config["training"]["patience"] = 0
        return config
