# SPDX-License-Identifier: GPL-2.0-or-later
"""What a corpus says is what the worlds were; hidden parameters are apart; other readers understand it."""

import itertools
import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from minis import OPERATORS, mini

import civworld
from civworld import cli, corpus, quantities, report
from civworld.corpus import schema
from civworld.corpus.schema import kept_events
from civworld.corpus.trials import Cell

ROOT = Path(civworld.__file__).parents[2]


def test_tracks_are_what_the_world_measures(held):
    spec = mini(2).worlds[1]
    track = held.track("mini-1")
    assert track.turns.tolist() == list(range(1, 21)) and track.values.shape == (20, 3)
    with civworld.World(spec.config) as world:
        world.advance(8)
        assert np.array_equal(track.at(9), quantities.measure(world.state())[list(quantities.table())])
        assert world.digest() == held.digests("mini-1")[9]
        start = world.checkpoint()
        world.advance(11)
        assert world.digest() == track.digest
        second = held.futures("mini-1", 9)[1]
        world.restore(start)
        world.reseed(second.seed)
        for row, turn in zip(second.values, second.turns, strict=True):
            assert world.turn == turn
            assert np.array_equal(row["score"], quantities.measure(world.state())["score"])
            if turn < 13:
                world.advance()
        assert world.digest() == second.digest
    assert second.turns.tolist() == [9, 10, 11, 12, 13]
    assert np.array_equal(second.at(9), track.at(9))
    assert track.value("cities", 20, 2) == track.of("cities")[19, 2] > 0
    for bad in (lambda: track.at(21), lambda: track.value("cities", 5, 9), lambda: track.of("luck")):
        with pytest.raises(civworld.ArgumentError):
            bad()


def test_events_are_what_the_world_told(held):
    spec = mini(2).worlds[1]
    with civworld.World(spec.config) as world:
        world.advance(15)
        start = world.checkpoint()
        told = tuple(kept_events(world.advance(4).events()))
        futures = held.future_events("mini-1", 16)
        world.restore(start)
        world.reseed(held.futures("mini-1", 16)[1].seed)
        assert futures[1] == tuple(kept_events(world.advance(4).events(since=16)))
    assert held.events("mini-1") == told and len(told) > 20
    assert len(futures) == 2 and all(e.turn > 16 for e in futures[0])


@pytest.mark.parametrize("viewer", ["omni", 1])
def test_briefings_are_those_of_the_live_world(held, viewer):
    spec = mini(2).worlds[0]
    views = []
    with civworld.World(spec.config) as world:
        for turn in (8, 12, 16):
            state = world.advance(turn - world.turn).state()
            views.append(state if viewer == "omni" else world.view(viewer))
        policy = report.policies(state)
        log = kept_events(world.advance(4).events())
    for switches in itertools.product((False, True), repeat=5):
        shown = report.Shown(*switches)
        told = report.briefing(
            views, log, policy=policy, ruleset="civ2civ3", since=8, shown=shown, notes="Rivers help.", future=log
        )
        assert held.briefing("mini-0", 16, viewer, shown=shown, notes="Rivers help.") == told, shown
    assert "What will happen" not in held.briefing("mini-0", 16, viewer)
    for bad in (
        lambda: held.briefing("mini-0", 16, 9),
        lambda: held.briefing("mini-0", 16, "everything"),
        lambda: held.briefing("mini-0", 10),
        lambda: held.briefing("mini-0", 16, shown=report.Shown(notes=True)),
    ):
        with pytest.raises(civworld.ArgumentError):
            bad()


def test_arms_are_what_the_edits_do(held):
    sets = held.arms("mini-0", 16)
    assert list(sets) == list(OPERATORS)
    grant = sets["treasury_grant"]
    assert grant.eligible and grant.control.turns.tolist() == [16, 17, 18, 19, 20]
    assert grant.recheck_digest == grant.control.digest == held.track("mini-0").digest
    assert grant.realized("treasury", 16) >= 300 and grant.placebo_shift("treasury", 16) == 1
    assert grant.shifts("treasury", 16) == (grant.realized("treasury", 16),)
    (control, real) = grant.pairs[0]
    assert control.seed == real.seed == held.futures("mini-0", 16)[0].seed and control.digest != real.digest
    assert "treasury" in grant.targets and grant.expected["treasury"] == 1
    edits = held.hidden("mini-0").edits
    mine = edits[(edits["t1"] == 16) & (edits["operator"] == "treasury_grant") & (edits["arm"] == "real")]
    ((name, fields),) = json.loads(mine["edits"][0])
    with held.checkpoint("mini-0", 16).fork() as world:
        world.reseed(real.seed)
        world.apply(civworld.edits.EDITS[name](**fields)).advance(4)
        assert world.digest() == real.digest
        assert np.array_equal(quantities.measure(world.state())["score"], real.at(20)["score"])
    trait = sets["trait_shift"]
    assert trait.variant and trait.realized("score", 16) == 0
    early = held.arms("mini-0", 9)
    assert {cell.player for s in (sets, early) for cell in s.values() if cell.eligible} <= {0, 1, 2}
    none = [c for w in held.worlds for t in (9, 16) for c in held.arms(w, t).values() if not c.eligible]
    for cell in none:
        with pytest.raises(civworld.ArgumentError, match="eligible"):
            cell.realized("score", 16)


def test_a_refused_edit_makes_its_cell_ineligible(held, monkeypatch):
    def refuse(world, edit):
        raise civworld.EditRefused(f"edit '{edit.name}': refused for a test")

    point = held.decision_points("mini-0")[0]
    digests = tuple(held.digests("mini-0")[t] for t in range(9, 14))
    cell = Cell("mini-0", 9, ("treasury_grant",), point.horizons[-1], (5,), digests)
    start = held.checkpoint("mini-0", 9)
    monkeypatch.setattr(civworld.World, "apply", refuse)
    rows, turns = cell.play(start)
    told = {table.name: columns for table, columns in rows}
    assert set(told) == {"cells", "hidden_edits", "branches"} and turns == 4
    assert (told["cells"]["eligible"], told["cells"]["reason"]) == ([False], ["refused"])
    assert told["branches"]["arm"] == ["recheck"] and "for a test" in told["hidden_edits"]["refusal"][0]
    for table, columns in rows:
        assert table.make(columns).num_rows


def test_points_and_worlds(held):
    info = held.world("mini-0")
    assert (info.map_class, info.players, info.ruleset, info.teams) == ("small", 3, "civ2civ3", 1)
    point = held.decision_points("mini-0")[0]
    assert (point.turn, point.frames, point.horizons) == (9, (1, 5, 9), (2, 4))
    assert held.definition() == mini(2)
    for bad in (lambda: held.world("mini-9"), lambda: held.futures("mini-0", 10), lambda: held.table("hidden_civs")):
        with pytest.raises(civworld.ArgumentError):
            bad()
    with pytest.raises(civworld.CorpusError, match="no corpus"):
        corpus.open("/nonexistent")


def test_the_map_can_be_put_together_again(held):
    spec = mini(2).worlds[0]
    rows = held.map_changes("mini-0")
    tiles = rows[rows["turn"] == 1]
    assert np.array_equal(tiles["tile"], np.arange(len(tiles)))
    last = tiles.copy()
    for turn in range(2, 17):
        changes = rows[rows["turn"] == turn]
        last[changes["tile"]] = changes
    with civworld.World(spec.config) as world:
        view = world.advance(15).state()
    assert np.array_equal(last["owner"], view.tiles["owner"])
    assert np.array_equal(last["city"], view.tiles["city"]) and last["city"].any()
    assert last["city_size"].sum() == view.cities["size"].sum()


def test_checkpoints_come_from_images_or_from_playing_again(held, built, tmp_path):
    expected = held.digests("mini-0")[9]
    assert held.checkpoint("mini-0", 9).digest == expected
    copy = tmp_path / "c"
    shutil.copytree(built, copy)
    image = copy / "images/mini-0/t0009.checkpoint"
    data = bytearray(image.read_bytes())
    data[len(data) // 2] ^= 1
    image.write_bytes(data)
    assert corpus.open(copy).checkpoint("mini-0", 9).digest == expected
    shutil.rmtree(copy / "images")
    assert corpus.open(copy).checkpoint("mini-0", 16).digest == held.digests("mini-0")[16]


def test_hidden_parameters_are_in_hidden_tables_only(held, built):
    hidden = held.hidden("mini-0")
    traits = hidden.config.starting_traits()
    first = hidden.civs[hidden.civs["turn"] == 1]
    for player, values in enumerate(traits):
        row = first[first["player"] == player]
        assert tuple(int(row[name][0]) for name in ("expansionist", "trader", "aggressive", "builder")) == values
    assert set(hidden.rules["disasters"]) == {60} and len(hidden.pairs)
    secret = {c.name for t in schema.tables().values() if t.hidden for c in t.columns}
    secret -= {"world", "turn", "player", "other", "t1", "operator", "arm"}
    for table in schema.tables().values():
        names = {c.name for c in table.columns}
        assert table.hidden or not names & secret, table.name
        assert table.hidden == table.name.startswith("hidden_") == table.folder.startswith("hidden/")
    seed = str(hidden.config.seed).encode()
    for path in built.rglob("*.json"):
        if "hidden" not in path.parts:
            assert b'"seed"' not in path.read_bytes() and b"traits" not in path.read_bytes(), (path, seed)


def test_other_readers_understand_the_tables(held, built, tmp_path):
    datasets = pytest.importorskip("datasets")
    duckdb = pytest.importorskip("duckdb")
    polars = pytest.importorskip("polars")
    files = str(built / "records/*.parquet")
    total = sum(len(held.records(w)) for w in held.worlds)
    loaded = datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=str(tmp_path))
    frame = polars.read_parquet(files)
    ((count, best),) = duckdb.sql(f"select count(*), max(score) from '{files}'").fetchall()
    assert len(loaded) == len(frame) == count == total == 2 * 20 * 3
    assert (
        best
        == frame["score"].max()
        == max(loaded["score"])
        == max(held.track(w).of("score").max() for w in held.worlds)
    )
    assert set(frame["world"]) == {"mini-0", "mini-1"} and loaded.column_names == frame.columns
    every = duckdb.sql(f"select count(*) from '{built}/hidden/civs/*.parquet'").fetchall()[0][0]
    assert every == sum(len(held.hidden(w).civs) for w in held.worlds)
    for table in schema.tables().values():
        assert polars.read_parquet(str(built / table.folder / "*.parquet")).columns == [c.name for c in table.columns]


def test_datasets_loads_every_table_by_its_name(built, tmp_path):
    datasets = pytest.importorskip("datasets")
    shown = {table.name: table for table in schema.tables().values() if not table.hidden}
    assert datasets.get_dataset_config_names(str(built)) == list(shown)
    for name, table in shown.items():
        loaded = datasets.load_dataset(str(built), name, split="train", cache_dir=str(tmp_path))
        rows = sum(len(pq.read_table(path)) for path in (built / name).glob("*.parquet"))
        assert len(loaded) == rows and loaded.column_names == [column.name for column in table.columns], name


def test_the_card_tells_of_every_table_and_hides_none_that_is_hidden(built):
    text = (built / "README.md").read_text()
    for table in schema.tables().values():
        assert (f"`{table.name}`" in text) != table.hidden and (f"data_files: {table.folder}/" in text) != table.hidden


def test_verify_finds_what_was_changed(built, tmp_path, capsys):
    found = corpus.verify(built, sample=1)
    assert not found.problems and found.turns == 22 and len(found.replayed) == 1
    copy = tmp_path / "c"
    shutil.copytree(built, copy)
    data = bytearray((copy / "records/mini-1.parquet").read_bytes())
    data[100] ^= 1
    (copy / "records/mini-1.parquet").write_bytes(data)
    (copy / "civs/mini-0.parquet").unlink()
    (copy / "records/note.txt").write_text("hello")
    problems = corpus.verify(copy).problems
    assert len(problems) == 3
    assert any("records/mini-1.parquet: its bytes" in p for p in problems)
    assert any("civs/mini-0.parquet: missing" in p for p in problems)
    assert any("note.txt: not in the manifest" in p for p in problems)
    assert cli.main(["corpus", "verify", str(copy)]) == 1
    assert "3 problems" in capsys.readouterr().out
    with pytest.raises(civworld.CorpusCorrupt, match="mini-0"):
        corpus.open(copy).civs("mini-0")


def test_verify_notices_a_world_that_plays_otherwise(built, tmp_path):
    copy = tmp_path / "c"
    shutil.copytree(built, copy)
    suite = json.loads((copy / "hidden/suite.json").read_text())
    for world in suite["worlds"]:
        world["config"]["seed"] += 1
    storage = corpus.verify.__globals__
    (copy / "hidden/suite.json").write_bytes(json.dumps(suite).encode())
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["suite_file"] = storage["checksum"]((copy / "hidden/suite.json").read_bytes())
    (copy / "manifest.json").write_text(json.dumps(manifest))
    found = corpus.verify(copy, sample=1)
    assert any("turn 1: recorded digest" in p for p in found.problems), found.problems


def test_a_corpus_of_another_build_or_format_is_refused(built, tmp_path):
    copy = tmp_path / "c"
    shutil.copytree(built, copy)
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps(manifest | {"build_id": "other"}))
    with pytest.raises(civworld.CorpusMismatch, match="same build") as raised:
        corpus.verify(copy)
    assert raised.value.field == "build_id"
    assert not corpus.verify(copy, sample=0).problems
    (copy / "manifest.json").write_text(json.dumps(manifest | {"format": 99}))
    with pytest.raises(civworld.CorpusMismatch, match="format 99"):
        corpus.open(copy)
    (copy / "manifest.json").write_text("{")
    with pytest.raises(civworld.CorpusCorrupt, match="not JSON"):
        corpus.open(copy)
