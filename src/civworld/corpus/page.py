# SPDX-License-Identifier: GPL-2.0-or-later
"""A world of a corpus as one HTML page that needs nothing else: map, curves, events, arms side by side."""

from __future__ import annotations

import base64
import json
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from civworld import quantities
from civworld.corpus.declared import AMOUNTS
from civworld.corpus.reading import Corpus
from civworld.corpus.schema import Rows
from civworld.corpus.tracks import ArmSet, WorldInfo
from civworld.events import Event
from civworld.quantities import Track
from civworld.report.pictures import TERRAIN
from civworld.terms import ISOMETRIC

_OTHER = (128, 128, 128)
# happen so often that they hide the rest; the page shows them when asked
_FREQUENT = ("unit_lost", "treaty", "advance_gained", "hut_entered", "embassy")


def page(corpus: Corpus, world: str) -> str:
    """The page of a world. It shows the public tables alone.

    Raises:
        UnknownNameError: there is no such finished world.
    """
    info = corpus.world(world)
    text = json.dumps(_data(corpus, info), separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")
    template = (files("civworld.corpus") / "page.html").read_text(encoding="utf-8")
    return template.replace("/*DATA*/", text)


def _data(corpus: Corpus, info: WorldInfo) -> dict[str, Any]:
    records, civs, track = corpus.records(info.id), corpus.civs(info.id), corpus.track(info.id)
    players = track.players.tolist()
    nations = {p: str(records["nation"][records["player"] == p][0]) for p in players}
    colors = {p: str(civs["color"][civs["player"] == p][0]) for p in players}
    alive = np.zeros((len(track.turns), len(players)), bool)
    alive[records["turn"] - 1, np.searchsorted(track.players, records["player"])] = records["is_alive"]
    return {
        "title": f"{info.id}: {info.ruleset}, {info.players} civilizations",
        "about": f"{info.map_class} map of {info.xsize} x {info.ysize} tiles, {info.difficulty} AI; suite "
        f"{corpus.suite}-v{corpus.version}, build {corpus.build_id[:12]}",
        "last": info.last_turn,
        "years": corpus.years(info.id),
        "civs": [{"id": p, "nation": nations[p], "color": colors[p]} for p in players],
        "alive": alive.T.astype(int).tolist(),
        "map": _map(corpus.map_changes(info.id), info),
        "labels": {name: f"{name.replace('_', ' ')} ({quantities.get(name).unit})" for name in AMOUNTS},
        "quantities": _series(track),
        "points": [p.turn for p in corpus.decision_points(info.id)],
        "futures": {
            p.turn: [_series(_with_players(f, track)) for f in corpus.futures(info.id, p.turn)]
            for p in corpus.decision_points(info.id)
        },
        "events": [_event(e, nations) for e in corpus.events(info.id)],
        "frequent": _FREQUENT,
        "arms": {
            p.turn: {name: _arms(cell, nations) for name, cell in corpus.arms(info.id, p.turn).items()}
            for p in corpus.decision_points(info.id)
        },
        "operators": sorted({name for p in corpus.decision_points(info.id) for name in corpus.arms(info.id, p.turn)}),
    }


def _arms(cell: ArmSet, nations: dict[int, str]) -> dict[str, Any]:
    """What the page shows of an operator at a decision point: a panel per target quantity and civilization."""
    if cell.real is None or cell.placebo is None:
        why = {"refused": "The world refused an edit."}.get(cell.reason, "No civilization was eligible here.")
        return {"text": why, "panels": [], "start": 0}
    who = [p for p in (cell.player, cell.other) if p >= 0]
    text = f"{' and '.join(nations.get(p, str(p)) for p in who)}; form: {cell.variant}."
    text += "".join(f" {u['field']} was back at turn {u['turn']}." for u in cell.undone)
    panels = [_panel(cell, quantity, p, nations) for quantity in cell.targets for p in who]
    return {"text": text, "start": int(cell.control.turns[0]), "panels": panels}


def _panel(cell: ArmSet, quantity: str, player: int, nations: dict[int, str]) -> dict[str, Any]:
    def series(track: Track | None) -> npt.NDArray[np.int64]:
        assert track is not None
        return track.of(quantity, player)

    control = series(cell.control)
    panel = {
        "title": f"{quantity.replace('_', ' ')} of {nations.get(player, player)}",
        "control": control.tolist(),
        "real": series(cell.real).tolist(),
        "placebo": series(cell.placebo).tolist(),
    }
    if cell.pairs:
        shift = np.mean([series(real) - series(base) for base, real in cell.pairs], axis=0)
        panel["mean"] = np.round(control + shift, 2).tolist()
    return panel


def _series(track: Track) -> dict[str, list[list[int]]]:
    """Quantity -> one list per civilization."""
    return {name: track.of(name).T.tolist() for name in AMOUNTS}


def _with_players(track: Track, like: Track) -> Track:
    """The track with the columns of another: civilizations that one has not are left out or zero."""
    values = np.zeros((len(track.turns), len(like.players)), track.values.dtype)
    here = np.isin(like.players, track.players)
    values[:, here] = track.values[:, np.isin(track.players, like.players)]
    return Track(track.turns, like.players, values, track.seed, track.digests)


def _map(rows: Rows, info: WorldInfo) -> dict[str, Any]:
    """Changes of tiles as seven bytes each: tile (3, low byte first), ground, owner, city's owner, city's size.

    Players are written as their number plus one, 0 for none. `starts[t]` is how many changes turns 1..t have.
    """
    terrains = sorted(set(rows["terrain"].tolist()))
    colors = ["#{:02x}{:02x}{:02x}".format(*TERRAIN.get(name, _OTHER)) for name in terrains]
    packed = np.zeros((len(rows), 7), np.uint8)
    tile = rows["tile"].astype(np.uint32)
    for i in range(3):
        packed[:, i] = tile >> 8 * i & 255
    packed[:, 3] = np.searchsorted(np.array(terrains), rows["terrain"])
    packed[:, 4] = _as_byte(rows["owner"])
    packed[:, 5] = _as_byte(rows["city_owner"])
    packed[:, 6] = np.minimum(rows["city_size"], 255)
    starts = np.searchsorted(rows["turn"], np.arange(info.last_turn + 1), side="right")
    return {
        "xsize": info.xsize,
        "ysize": info.ysize,
        "isometric": bool(info.topology & ISOMETRIC),
        "colors": colors,
        "changes": base64.b64encode(packed.tobytes()).decode(),
        "starts": starts.tolist(),
    }


def _as_byte(players: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    clipped: npt.NDArray[np.uint8] = np.clip(players + 1, 0, 255).astype(np.uint8)
    return clipped


def _event(event: Event, nations: dict[int, str]) -> tuple[int, str, list[int], str]:
    """Turn, kind, players concerned, one line of text."""
    concerned = [p for p in dict.fromkeys((event.player, event.other)) if p >= 0]
    who = " and ".join(nations.get(p, f"player {p}") for p in concerned)
    parts = [p for p in (event.name, event.cause, f"before: {event.former}" if event.former else "") if p]
    text = f"{who}: {event.kind.replace('_', ' ')}" + (f" ({', '.join(parts)})" if parts else "")
    return event.turn, event.kind, concerned, text
