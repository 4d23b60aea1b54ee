# SPDX-License-Identifier: GPL-2.0-or-later
"""The unpatched Freeciv server, built from the same pinned sources: the anchor of validation and timing."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "csrc" / "build"))

import civworld  # noqa: E402
from civworld_build import BuildError, cache_dir, say  # noqa: E402
from civworld_build.compile import ninja  # noqa: E402
from civworld_build.tree import patched_tree  # noqa: E402

PACKAGES = ("libcurl4-openssl-dev", "libicu-dev", "zlib1g-dev", "libsqlite3-dev")
# a release build without clients; ALWAYS_ROOT only lifts the refusal to run as root
OPTIONS = (
    "--buildtype=release", "-Dack_experimental=true", "-Dclients=[]", "-Dfcmp=[]", "-Dsyslua=false",
    "-Dmwand=false", "-Dreadline=false", "-Daudio=false", "-Dnls=false", "-Dserver=enabled",
    "-Dc_args=-DALWAYS_ROOT",
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """One finished game of the stock server.

    Attributes:
        scores: (turn, player, tag) -> value, from its score log.
        tags: names of the tags.
        seconds: wall time of the whole process.
    """

    scores: dict[tuple[int, int, int], int]
    tags: list[str]
    seconds: float


def server() -> Path:
    """Folder with the built server and its data; builds it once per pinned source (about four minutes)."""
    tree = patched_tree(stock=True)
    work = cache_dir() / "stock" / tree.name
    binary = work / "build" / "freeciv-server"
    if binary.exists():
        return work
    work.mkdir(parents=True, exist_ok=True)
    source = work / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(tree / "freeciv", source)
    shutil.copytree(tree / "lua" / "src", source / "dependencies" / "lua-5.4" / "src", dirs_exist_ok=True)
    say("building the unpatched server, about four minutes on two cores")
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    shutil.rmtree(work / "build", ignore_errors=True)
    for command in (
        [sys.executable, "-m", "mesonbuild.mesonmain", "setup", str(work / "build"), str(source), *OPTIONS],
        [ninja(), "-C", str(work / "build"), "freeciv-server"],
    ):
        log = work / "build.log"
        with open(log, "w") as out:
            if subprocess.run(command, env=env, stdout=out, stderr=subprocess.STDOUT).returncode != 0:
                raise BuildError(
                    f"the unpatched server did not build, see {log}. It needs: apt-get install {' '.join(PACKAGES)}"
                    " and pip install meson ninja"
                )
    return work


def play(config: civworld.WorldConfig, turns: int) -> Run:
    """Play a config's world on the stock server up to a turn, with its score log on."""
    work = server()
    with tempfile.TemporaryDirectory(prefix="civworld-stock-") as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        lines = [
            *config.console_lines(),
            f"set endturn {turns - 1}",
            "set scorelog enabled",
            "set scoreloglevel ALL",
            "set scorefile score.log",
            "start",
        ]
        script = Path(folder) / "world.serv"
        script.write_text("\n".join(lines) + "\n")
        env = {"HOME": folder, "PATH": os.environ["PATH"], "FREECIV_DATA_PATH": str(work / "source" / "data")}
        command = [
            str(work / "build" / "freeciv-server"), "--ruleset", config.ruleset, "--read", str(script),
            "--port", str(port), "--bind", "127.0.0.1", "--exit-on-end", "--Announce", "none",
        ]  # fmt: skip
        start = time.perf_counter()
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        log = Path(folder) / "score.log"
        if not log.exists():
            raise BuildError(f"the stock server wrote no score log:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return _parse(log.read_text(), seconds)


def _parse(text: str, seconds: float) -> Run:
    scores, tags = {}, []
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == "tag":
            tags.append(words[2])
        elif words and words[0] == "data":
            turn, tag, player, value = map(int, words[1:5])
            scores[turn, player, tag] = value
    return Run(scores, tags, seconds)
