# SPDX-License-Identifier: GPL-2.0-or-later
"""A cluster of two nodes gives the bytes of one process, also when a node is lost on the way."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from minis import contents, mini

import civworld
from civworld import corpus

ray = pytest.importorskip("ray", reason="Ray is not installed")
pytestmark = pytest.mark.slow

# what nodes need to find civworld when it is not installed, and to start quickly
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(Path(civworld.__file__).parents[1]),
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS": "0",
}


class Cluster:
    """A head that runs no jobs and two nodes of one core, each a process group of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._nodes: list[subprocess.Popen] = []
        # short, since sockets lie under it
        self._temporary = f"/tmp/civray{os.getpid()}"
        self._start("--head", "--port=0", "--num-cpus=0", "--include-dashboard=false", f"--temp-dir={self._temporary}")
        self.address = (Path(self._temporary) / "ray_current_cluster").read_text().strip()
        self.nodes = [self._start(f"--address={self.address}", "--num-cpus=1") for _ in range(2)]

    def _start(self, *options: str) -> subprocess.Popen:
        """A node, once it runs."""
        log = self._folder / f"node{len(self._nodes)}.log"
        common = ["--block", "--node-ip-address=127.0.0.1", "--disable-usage-stats", "--object-store-memory=100000000"]
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", *common, *options]
        with log.open("w") as out:
            node = subprocess.Popen(command, env=ENVIRONMENT, stdout=out, stderr=out, start_new_session=True)
        self._nodes.append(node)
        self._wait(lambda: "Ray runtime started" in log.read_text())
        return node

    @staticmethod
    def _wait(ready, seconds=90):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := ready():
                return found
            time.sleep(0.1)
        raise TimeoutError("the cluster did not start")

    def connect(self) -> None:
        ray.init(address=self.address, log_to_driver=False, configure_logging=False)
        self._wait(lambda: ray.cluster_resources().get("CPU", 0) >= 2)

    def kill(self, node: subprocess.Popen) -> None:
        os.killpg(node.pid, signal.SIGKILL)

    def close(self) -> None:
        ray.shutdown()
        for node in self._nodes:
            try:
                os.killpg(node.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            node.wait(20)
        subprocess.run(["rm", "-rf", self._temporary], check=False)


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", ENVIRONMENT["PYTHONPATH"])
    made = Cluster(tmp_path)
    try:
        made.connect()
        yield made
    finally:
        made.close()


def test_two_nodes_give_the_bytes_of_one_process(built, tmp_path, cluster):
    with corpus.RayRunner() as runner:
        report = corpus.build(mini(2), tmp_path / "c", runner=runner, progress=False)
    assert report.made and not report.failures
    assert contents(tmp_path / "c") == contents(built)


def test_a_node_is_lost_on_the_way(built, tmp_path, cluster):
    out = tmp_path / "c"
    lost = threading.Event()

    def lose() -> None:
        while not any((out / ".parts").glob("*/*")):
            time.sleep(0.02)
        cluster.kill(cluster.nodes[0])
        lost.set()

    thread = threading.Thread(target=lose)
    thread.start()
    with corpus.RayRunner() as runner:
        report = corpus.build(mini(2), out, runner=runner, progress=False)
    thread.join()
    assert lost.is_set() and report.made and not report.failures
    assert contents(out) == contents(built)
