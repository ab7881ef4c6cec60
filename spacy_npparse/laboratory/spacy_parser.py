"""spaCy's own parser, arc-eager and pseudo-projective, trained by its quickstart config."""

from __future__ import annotations

from dataclasses import dataclass

from spacy.cli.init_config import init_config
from spacy.util import load_config
from thinc.api import Config

from spacy_npparse.laboratory.contestants import Task
from spacy_npparse.laboratory.pipeline import TrainedPipeline

# The number that `spacy convert` recommends. With single sentences, there are no boundaries to
# learn.
_SENTENCES_PER_DOC = 10


@dataclass(frozen=True)
class SpacyPipeline(TrainedPipeline):
    """spaCy's `parser` with the model and batches of its quickstart config for efficiency, but with
    this package's corpus reader and scorer. It learns sentence boundaries, and predicts them while
    it parses unless they are set."""

    name = "spacy"
    model_name = "spacy"
    is_peer = True

    def config(self, task: Task) -> Config:
        lang = load_config(task.config)["nlp"]["lang"]
        config = init_config(lang=lang, pipeline=["parser"], optimize="efficiency")
        parser = config["components"]["parser"]
        # By default, spaCy discards infrequent labels of lifted arcs.
        parser["min_action_freq"] = 1
        parser["scorer"] = {"@scorers": "spacy_npparse.parser_scorer.v1"}
        reader = "spacy_npparse.ConlluCorpus.v1"
        config["corpora"]["train"] = {
            "@readers": reader,
            "path": "${paths.train}",
            "sentences_per_doc": _SENTENCES_PER_DOC,
            "gold_sentences": False,
            "shuffle": True,
        }
        config["corpora"]["dev"] = {"@readers": reader, "path": "${paths.dev}"}
        config["training"]["score_weights"] = {"dep_las": 1.0}
        return config
