"""Loss of one of two simulated machines of a Ray cluster."""

import time

import pytest

from spacy_npparse.scaling import RayTasks

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

pytestmark = pytest.mark.slow


@pytest.fixture
def cluster():
    found = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    yield found
    found.shutdown()


def wait_for(condition):
    end = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_tasks_of_a_lost_machine_are_done_again(cluster, tmp_path):
    first, second = cluster.head_node, cluster.add_node(num_cpus=1)
    lost = second.node_id

    def task(number):
        node = ray.get_runtime_context().get_node_id()
        (tmp_path / f"{number} on {node}").touch()
        while node == lost or not (tmp_path / "lost").exists():
            time.sleep(0.1)
        return node

    with RayTasks(cluster.address, int) as tasks:
        for number in range(2):
            tasks.start(number, task, number)
        wait_for(lambda: len({path.name.split()[-1] for path in tmp_path.iterdir()}) == 2)
        cluster.remove_node(second, allow_graceful=False)
        (tmp_path / "lost").touch()
        found = {}
        while tasks.running:
            found.update(tasks.ended())
    assert found == {0: first.node_id, 1: first.node_id}
    assert len(list(tmp_path.glob("* on *"))) == 3
    # `RayTasks` has closed the connection, because it opened it.
    assert not ray.is_initialized()
