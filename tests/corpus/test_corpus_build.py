# SPDX-License-Identifier: GPL-2.0-or-later
"""A build gives the same bytes whatever interrupts it and wherever its jobs are done."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from minis import contents, mini

import civworld
from civworld import corpus
from civworld.cli import main
from civworld.corpus import describe, jobs, storage
from civworld.corpus.jobs import Job
from civworld.corpus.progress import Progress

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from civworld import corpus
from minis import mini
if __name__ == "__main__":
    with corpus.runner(sys.argv[3], 2 if sys.argv[3] == "local" else None) as runner:
        corpus.build(mini(2), sys.argv[2], runner=runner, progress=False)
"""


def start(out: Path, runner: str) -> subprocess.Popen:
    """A build in a process of its own, in a group of its own."""
    args = [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), str(out), runner]
    return subprocess.Popen(args, stderr=subprocess.PIPE, text=True, start_new_session=True)


def killed(out: Path, runner: str, draws: random.Random) -> float:
    """Start a build, kill its main process at some time after it has begun; how long it had."""
    build = start(out, runner)
    before = contents(out) if out.exists() else {}
    deadline = time.monotonic() + 60
    while build.poll() is None and not (out / "manifest.json").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    delay = draws.uniform(0.0, 3.0) + (1.5 if before else 0.0)
    time.sleep(delay)
    os.kill(build.pid, signal.SIGKILL)
    build.wait(20)
    build.stderr.close()
    return delay


def kill_and_resume(built: Path, tmp_path: Path, runners: list[str], seed: int) -> None:
    draws = random.Random(seed)
    out = tmp_path / "killed"
    delays = [(runner, killed(out, runner, draws)) for runner in runners]
    with corpus.SingleRunner() as runner:
        report = corpus.build(mini(2), out, runner=runner, progress=False)
    assert not report.failures
    assert contents(out) == contents(built), f"seed {seed}, killed {delays}"


def test_killed_twice_and_resumed_the_bytes_are_the_same(built, tmp_path):
    kill_and_resume(built, tmp_path, ["single", "local"], seed=int(time.time()))


@pytest.mark.slow
def test_killed_ten_times_and_resumed_the_bytes_are_the_same(built, tmp_path):
    for round_ in range(5):
        kill_and_resume(built, tmp_path / str(round_), ["local", "single"], seed=int(time.time()) + round_)


def test_processes_give_the_bytes_of_one_process(built, tmp_path):
    with corpus.LocalRunner(2) as runner:
        report = corpus.build(mini(2), tmp_path / "pool", runner=runner, progress=False)
    assert report.made and not report.failures
    assert contents(tmp_path / "pool") == contents(built)


@pytest.fixture(scope="module")
def results():
    """What the jobs of one world give, by job."""
    suite = mini(1)
    mainline, after = jobs.plan(suite, suite.worlds[0])
    first = mainline()
    done = {mainline.id: first}
    digests = storage.read_parquet(first.files["turns.parquet"]).column("digest").to_pylist()
    for job in after:
        image = jobs.Image(None, first.files[jobs.image_name(job.turn)])
        done[job.id] = job.at(image, digests[job.turn - 1 : job.turn + 4])()
    return done


class Crash(BaseException):
    """Stands for the end of the process."""


def test_a_crash_at_any_write_loses_nothing(results, tmp_path, monkeypatch):
    """The process ends at each third appearance of a file or folder; jobs themselves are remembered."""
    monkeypatch.setattr(Job, "__call__", lambda job: results[job.id])
    monkeypatch.setattr(storage.os, "fsync", lambda fd: None)
    left = [-1]
    dead = [False]

    def counted(real):
        def call(source, target):
            left[0] -= 1
            dead[0] = dead[0] or left[0] == 0
            if dead[0]:
                raise Crash
            return real(source, target)

        return call

    def of_the_living(real):
        return lambda *args, **kwargs: None if dead[0] else real(*args, **kwargs)

    for name in ("replace", "rename"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    for place, name in ((os, "unlink"), (os, "rmdir"), (shutil, "rmtree")):
        monkeypatch.setattr(place, name, of_the_living(getattr(place, name)))

    def build(out):
        with corpus.SingleRunner() as runner:
            corpus.build(mini(1), out, runner=runner, progress=False)

    build(tmp_path / "undisturbed")
    writes = -1 - left[0]
    expected = contents(tmp_path / "undisturbed")
    assert writes > 30
    for n in range(1, writes + 1, 3):
        out = tmp_path / str(n)
        left[0] = n
        with pytest.raises(Crash):
            build(out)
        left[0], dead[0] = -1, False
        build(out)
        assert contents(out) == expected, f"crashed at write {n} of {writes}"


def test_a_failed_world_is_reported_and_the_others_are_made(built, tmp_path):
    good = mini(1, futures=1, operators=())
    broken = replace(good.worlds[0].config, seed=77, turn_work=20_000_000 // 10**4)
    worlds = (replace(good.worlds[0], id="broken", config=broken), *good.worlds)
    suite = replace(good, worlds=worlds)
    with corpus.SingleRunner() as runner:
        report = corpus.build(suite, tmp_path / "c", runner=runner, progress=False)
    assert report.made == ["mini-0"]
    (failure,) = report.failures
    assert (failure.world, failure.job, failure.seed) == ("broken", "mainline", 77) and failure.turn >= 1
    assert failure.error.startswith("EngineHang")
    held = corpus.open(tmp_path / "c")
    assert held.worlds == ("mini-0",)
    assert held.failures[0]["seed"] == 77 and held.failures[0]["turn"] == failure.turn
    same = contents(built)
    assert contents(tmp_path / "c")["records/mini-0.parquet"] == same["records/mini-0.parquet"]


def test_only_some_worlds_and_then_the_rest(built, tmp_path):
    out = tmp_path / "c"
    with corpus.SingleRunner() as runner:
        assert corpus.build(mini(2), out, worlds=slice(1, 2), runner=runner, progress=False).made == ["mini-1"]
        assert corpus.open(out).worlds == ("mini-1",)
        report = corpus.build(mini(2), out, runner=runner, progress=False)
    assert report.made == ["mini-0"] and report.found == ["mini-1"]
    assert contents(out) == contents(built)


def test_a_folder_of_something_else_is_refused(built, tmp_path):
    with pytest.raises(civworld.CorpusMismatch, match="definition") as raised:
        corpus.build(mini(2, seed=6), built, runner=corpus.SingleRunner())
    assert raised.value.field == "definition"
    (tmp_path / "letters").write_text("dear")
    with pytest.raises(civworld.CorpusMismatch, match="not empty"):
        corpus.build(mini(1), tmp_path, runner=corpus.SingleRunner())
    with pytest.raises(civworld.UnknownNameError, match="mini-7"):
        corpus.build(mini(2), built, worlds=["mini-7"], runner=corpus.SingleRunner())
    with pytest.raises(civworld.ArgumentError, match=r"worlds 5:9: mini-v1 has worlds 0:2, none"):
        corpus.build(mini(2), built, worlds=slice(5, 9), runner=corpus.SingleRunner())
    for name, workers in (("kubernetes", None), ("single", 3)):
        with pytest.raises(civworld.ArgumentError):
            corpus.runner(name, workers)


def test_time_left_follows_the_work_left(capsys):
    suite = mini(1)
    mainline, after = jobs.plan(suite, suite.worlds[0])
    with Progress(True) as bar:
        bar.expect([mainline, *after])
        assert not bar.estimates
        bar.did(mainline, jobs.Done({}, 1, 1.0))
        _, left = bar.estimates[0]
        rest = sum(job.weight for job in after)
        assert left == pytest.approx(1.0 * rest / mainline.weight), "by the processor time of the one that is done"
        for job in after:
            bar.did(job, jobs.Done({}, 1, 1.0))
        assert bar.estimates[-1][1] == pytest.approx(0.0, abs=1e-6)
    assert "9 of 9 jobs" in capsys.readouterr().err


def test_first_estimates_know_that_other_jobs_are_under_way():
    """Eight workers, 32 equal jobs of 1 s each: 4 s in all, also when the first of the eight is just done."""
    suite = mini(1)
    job, _ = jobs.plan(suite, suite.worlds[0])
    with Progress(False, workers=8) as bar:
        bar.expect([job] * 32)
        for done in range(1, 9):
            bar.did(job, jobs.Done({}, 1, 1.0))
            assert bar.estimates[-1][1] == pytest.approx((32 - done) / 8)


def test_a_resumed_build_counts_what_was_there(capsys):
    suite = mini(1)
    mainline, after = jobs.plan(suite, suite.worlds[0])
    with Progress(True) as bar:
        bar.had(after[:3])
        bar.expect([mainline, *after[3:]])
        bar.did(mainline, jobs.Done({}, 1, 2.0))
        assert bar.estimates[0][1] == pytest.approx(2.0 * sum(j.weight for j in after[3:]) / mainline.weight)
    said = capsys.readouterr().err
    assert "3 of 9 jobs" in said and "4 of 9 jobs" in said and "corpus: 0 of" not in said.replace("corpus: 0 of 0", "")


def test_a_finished_corpus_is_all_there(built, capsys):
    corpus.build(mini(2), built, runner=corpus.SingleRunner(), progress=True)
    assert "18 of 18 jobs" in capsys.readouterr().err


def test_a_mainline_that_cannot_be_played_again_fails_its_world(tmp_path, monkeypatch):
    """Were the engine not exact, no arm would mean anything: the recheck sees it, in the turn where it happens."""
    real = jobs.Job.at

    def at(job, image, digests):
        return real(job, image, (*digests[:-1], "0" * 32))

    monkeypatch.setattr(jobs.Job, "at", at)
    with corpus.SingleRunner() as runner:
        report = corpus.build(mini(1, operators=("treasury_grant",)), tmp_path / "c", runner=runner, progress=False)
    assert not report.made
    assert {(f.job, f.turn) for f in report.failures} == {
        ("t0009-arms-treasury_grant", 13),
        ("t0016-arms-treasury_grant", 20),
    }
    assert "not what it was" in report.failures[0].error


def test_a_runner_serves_one_build_after_the_other(tmp_path):
    suite = mini(2, operators=())
    with corpus.LocalRunner(1) as runner:
        for world in ("mini-0", "mini-1"):
            report = corpus.build(suite, tmp_path / "held", worlds=[world], runner=runner)
            assert report.made == [world] and not report.failures


def test_one_operator_a_point_is_the_first_that_somebody_is_eligible_for(tmp_path):
    suite = mini(1, operators=("treasury_drain", "research_loss", "treasury_grant"), one_operator=True)
    with corpus.SingleRunner() as runner:
        report = corpus.build(suite, tmp_path / "c", runner=runner, progress=False)
    assert not report.failures
    held = corpus.open(tmp_path / "c")
    for point in held.decision_points("mini-0"):
        ((name, arms),) = held.arms("mini-0", point.turn).items()
        assert arms.eligible and arms.real is not None and len(arms.pairs) == 1
        tried = [j for j in jobs.plan(suite, suite.worlds[0])[1] if j.kind == "arms"]
        order = next(j for j in tried if j.point == point).candidates
        with civworld.World.from_checkpoint(held.checkpoint("mini-0", point.turn)) as world:
            view = world.state()
        before = order[: order.index(name)]
        assert not any(civworld.arms.get(earlier).eligible(view) for earlier in before)
    found = describe.held(held)
    assert found["eligible_points"] == found["decision_points"] == 2
    assert found["arms"] == 8
    assert sum(found["operator"].values()) == 2
    assert found["state_records"] == len(held.records("mini-0"))
    assert main(["corpus", "describe", str(tmp_path / "c"), "--suite", "tiny"]) == 0
