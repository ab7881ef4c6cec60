"""Annotation with Ray on a cluster of two machines, one of which is lost."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import ray
import small_corpora
from ray.cluster_utils import Cluster
from small_corpora import (
    SECONDS,
    annotate_missing,
    content,
    corpus_of,
    small_pipeline,
    write_corpus,
)

from spacy_npparse.extras import MissingExtraError
from spacy_npparse.files import WriteError
from spacy_npparse.scaling import ClusterError
from spacy_npparse.scaling.execution import annotate_shards
from spacy_npparse.scaling.ray_actors import RayActors
from spacy_npparse.scaling.worker import begin_worker

HELPERS = Path(small_corpora.__file__)


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    return small_pipeline(tmp_path_factory.mktemp("pipeline") / "model")


@pytest.fixture(scope="module")
def cluster():
    """Start two simulated machines with one core each, whose processes can import the helpers."""
    known = dict(os.environ)
    os.environ |= {
        "PYTHONPATH": os.pathsep.join([str(HELPERS.parent), os.environ.get("PYTHONPATH", "")]),
        "RAY_health_check_period_ms": "500",
        # Machines with busy cores start slowly.
        "RAY_raylet_start_wait_time_s": "200",
        SECONDS: "0.02",
    }
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.removable = cluster.add_node(num_cpus=1)
    ray.init(cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()
    os.environ.clear()
    os.environ |= known


# This test comes first, because `RayActors` would use the cluster of the other tests.
def test_no_cluster(monkeypatch):
    def init(*arguments, **options):  # which takes minutes
        raise ConnectionError("Could not connect")

    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(ClusterError, match="no Ray cluster at 127.0.0.1:1"):
        RayActors(1, int, address="127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'spacy-npparse\[ray\]'"):
        RayActors(1, int)


def test_errors_of_actors_are_those_of_their_tasks(cluster, pipeline, tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    corpus = with_code(corpus_of(pipeline, [tmp_path / "a.txt"], tmp_path / "out"))
    full = corpus.job.files.shard(corpus.shards[0])
    full.parent.mkdir()
    full.symlink_to("/dev/full")
    with RayActors(1, begin_worker, corpus.job) as actors:
        with pytest.raises(WriteError, match="No space left"):
            list(annotate_shards(actors, corpus, corpus.shards))
    # `RayActors` has not closed the connection, because it existed before.
    assert ray.is_initialized()


def test_a_machine_is_lost(cluster, pipeline, tmp_path):
    source = write_corpus(tmp_path / "corpus")
    serial = corpus_of(pipeline, [source], tmp_path / "serial")
    annotate_missing(serial)
    corpus = with_code(corpus_of(pipeline, [source], tmp_path / "out"))
    with RayActors(2, begin_worker, corpus.job) as actors:
        ended = annotate_shards(actors, corpus, corpus.shards)
        found = [next(ended) for _ in range(3)]
        # Both machines have an actor.
        while ray.available_resources().get("CPU"):
            time.sleep(0.1)
        cluster.remove_node(cluster.removable)
        found += ended
    assert sorted(shard.number for shard, _ in found) == list(range(len(corpus.shards)))
    assert all(record is not None for _, record in found)
    assert content(tmp_path / "out") == content(tmp_path / "serial")


def with_code(corpus):
    """Return the corpus with `--code`, so that workers import the component of these tests."""
    pipeline = replace(corpus.job.pipeline, code=HELPERS)
    return replace(corpus, job=replace(corpus.job, pipeline=pipeline))
