# SPDX-License-Identifier: GPL-2.0-or-later
"""Effects over paired seeds as curves with bands, the picture of them, and the map of what differs."""

import functools
from dataclasses import replace

import numpy as np
import pytest

import civworld
from civworld import arms, edits, report
from helpers import SMALL, played

TURNS = 3


@functools.cache
def trial():
    return arms.run(played(SMALL, 61), "treasury_grant", TURNS, [5, 6, 9], placebos=True)


def test_placebos_play_under_the_seeds_and_shift_as_little_as_they_give():
    found = trial()
    player = found.plan.player
    assert [arm.seed for arm in found.placebos] == [control.seed for control, _ in found.paired] == [5, 6, 9]
    given = found.plan.real[0].amount
    assert found.shifts("treasury", player)[:, 0].tolist() == [given] * 3
    assert found.shifts("treasury", player, "placebo")[:, 0].tolist() == [1] * 3
    assert arms.Trial.from_dict(found.to_dict()) == found
    with pytest.raises(civworld.UnknownNameError, match="placebo"):
        found.shifts("treasury", player, "recheck")


def test_a_band_is_students_t_over_the_seeds():
    found = trial()
    player = found.plan.player
    shifted = []
    for gold, (control, _) in zip((10, 20, 60), found.paired, strict=True):
        values = control.values.copy()
        values["treasury"][:, player] += gold
        shifted.append((control, replace(control, arm="real", values=values)))
    mean, half = arms.band(replace(found, paired=tuple(shifted)), "treasury", player)
    assert mean.tolist() == [30.0] * (TURNS + 1)
    # standard error of 10, 20, 60: their deviation 26.4575 over the root of 3; 4.303 of them to each side
    assert half == pytest.approx([65.73] * (TURNS + 1), abs=0.005)


def test_without_seeds_the_curve_is_the_worlds_own_future():
    found = arms.run(played(SMALL, 61), "treasury_grant", 1)
    mean, half = arms.band(found, "treasury", found.plan.player, "placebo")
    assert half is None and mean[0] == 1


def test_plot_draws_a_row_for_each_quantity_and_both_arms(tmp_path):
    figure = arms.plot(trial(), ["treasury", "score"])
    drawn = figure.axes
    assert [axes.get_ylabel().split()[0] for axes in drawn] == ["treasury", "score"]
    lines = {line.get_label(): line.get_ydata() for line in drawn[0].get_lines()}
    assert lines["real"].tolist() == trial().expected("treasury", trial().plan.player)[0].tolist()
    assert lines["placebo"][0] == 1 and len(drawn[0].collections) == 2
    figure.savefig(tmp_path / "effects.png")
    assert (tmp_path / "effects.png").read_bytes().startswith(b"\x89PNG")
    for bad in (lambda: arms.plot(trial(), ["gold"]), lambda: arms.plot(trial(), [])):
        with pytest.raises(civworld.ArgumentError):
            bad()


def test_changed_tiles_are_those_that_an_edit_touched():
    with played(SMALL, 61).fork() as control, played(SMALL, 61).fork() as edited:
        before = control.state()
        assert not report.changed_tiles(before, before).any()
        city = before.cities[0]
        edited.apply(edits.CitySize(int(city["id"]), int(city["size"]) + 1))
        assert np.flatnonzero(report.changed_tiles(before, edited.state())).tolist() == [int(city["tile"])]


def test_deeds_are_counted_and_travel_with_forks():
    """A civilization that is given gold buys; what it has bought is told, in its forks too."""
    start = played(SMALL, 61)
    with start.fork() as world:
        before = world.table("hidden_players")["bought"].copy()
        world.apply(edits.AddGold(1, 2000))
        bought = world.advance(3).table("hidden_players")["bought"]
        assert bought[1] > before[1]
        with world.fork() as child:
            assert child.table("hidden_players")["bought"].tolist() == bought.tolist()


def test_edits_are_no_deeds():
    """A city that changes hands loses buildings, which no civilization has sold."""
    with played(SMALL, 61).fork() as world:
        before = world.table("hidden_players").copy()
        for city in world.state().cities[:6]:
            world.apply(edits.TransferCity(int(city["id"]), (int(city["owner"]) + 1) % 4))
        assert world.table("hidden_players")["sold"].tolist() == before["sold"].tolist()
