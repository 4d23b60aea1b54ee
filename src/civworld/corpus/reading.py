# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading a corpus: worlds, records, futures and checkpoints; hidden parameters only when asked for by name."""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from civworld._engine import build_info
from civworld.checkpoint import Checkpoint
from civworld.corpus.briefings import OMNI, compose
from civworld.corpus.build import FORMAT, IMAGES, MANIFEST, SUITE
from civworld.corpus.jobs import image_name
from civworld.corpus.schema import Rows, rows_of, table, tables
from civworld.corpus.storage import checksum, read_json, read_parquet
from civworld.corpus.suites import DecisionPoint, Suite
from civworld.corpus.tracks import ArmSet, Hidden, WorldInfo, arm_tracks, stretch, track
from civworld.errors import ArgumentError, CheckpointError, CorpusCorrupt, CorpusError, CorpusMismatch, UnknownNameError
from civworld.events import Event
from civworld.quantities import Track
from civworld.report import FULL, Shown
from civworld.world import World

T = TypeVar("T")

KEPT = 128
"""Tables of single worlds that an open corpus keeps in memory."""


class Corpus:
    """A built corpus, read as needed. Rows come as structured numpy arrays with text as unicode.

    Args:
        root: its folder.

    Raises:
        CorpusError: there is no corpus.
        CorpusMismatch: it has another format.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)
        path = self.root / MANIFEST
        if not path.exists():
            raise CorpusError(f"{self.root}: no corpus is here ({MANIFEST} is missing)")
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._manifest = read_json(path)
        if self._manifest.get("format") != FORMAT:
            raise CorpusMismatch(
                f"{self.root}: format {self._manifest.get('format')!r}, this library reads {FORMAT}", field="format"
            )

    def __repr__(self) -> str:
        return f"<Corpus {self.suite}-v{self.version} at {self.root}: {len(self.worlds)} worlds>"

    @property
    def suite(self) -> str:
        """Name of the suite."""
        return str(self._manifest["suite"])

    @property
    def version(self) -> int:
        """Version of the suite."""
        return int(self._manifest["version"])

    @property
    def build_id(self) -> str:
        """The engine build that made it."""
        return str(self._manifest["build_id"])

    @property
    def worlds(self) -> tuple[str, ...]:
        """Ids of the finished worlds, in the order of the suite."""
        return tuple(self._manifest["order"])

    @property
    def failures(self) -> tuple[dict[str, Any], ...]:
        """Worlds that the last build could not make: `world`, `job`, `seed`, `turn`, `error`."""
        return tuple(self._manifest["failures"])

    @property
    def files(self) -> dict[str, dict[str, Any]]:
        """Path -> `bytes` and `blake2b` of every file of every finished world."""
        return {path: told for w in self.worlds for path, told in self._manifest["worlds"][w]["files"].items()}

    def definition(self) -> Suite:
        """The suite itself, hidden parameters of its worlds among it; CorpusCorrupt when its file has changed."""
        path = self.root / SUITE
        if not path.exists() or checksum(path.read_bytes()) != self._manifest["suite_file"]:
            raise CorpusCorrupt(f"{path}: missing, or not as it was written")
        return Suite.from_dict(read_json(path))

    # ---- tables ------------------------------------------------------------------------------------------

    def table(self, name: str, worlds: Iterable[str] | None = None) -> pa.Table:
        """A public table over some worlds, or over all, as an Arrow table.

        Raises:
            UnknownNameError: there is no such public table or finished world.
        """
        public = {n: t for n, t in tables().items() if not t.hidden}
        if name not in public:
            raise UnknownNameError("public table", name, public)
        return self._read(name, self.worlds if worlds is None else worlds)

    def _read(self, name: str, worlds: Iterable[str]) -> pa.Table:
        kind = table(name)
        found = []
        for world in worlds:
            self._known(world)
            path = self.root / kind.folder / f"{world}.parquet"
            try:
                found.append(read_parquet(path))
            except (OSError, pa.ArrowInvalid) as error:
                raise CorpusCorrupt(f"{path}: cannot be read: {error}") from None
        return pa.concat_tables(found) if found else kind.arrow.empty_table()

    def _known(self, world: str) -> None:
        if world not in self._manifest["worlds"]:
            raise UnknownNameError("finished world", world, self.worlds)

    def _rows(self, name: str, world: str) -> Rows:
        return self._once(("rows", name, world), lambda: self._frozen(name, world))

    def _frozen(self, name: str, world: str) -> Rows:
        rows = rows_of(self._read(name, [world]).drop_columns(["world"]))
        rows.setflags(write=False)
        return rows

    def _once(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """What `make` gives, kept for the next time it is asked for; the longest unused is dropped."""
        if key not in self._kept:
            self._kept[key] = make()
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        found: T = self._kept[key]
        return found

    # ---- worlds ------------------------------------------------------------------------------------------

    def world(self, world: str) -> WorldInfo:
        """What everyone may know about a world."""
        (row,) = self._read("worlds", [world]).rename_columns({"world": "id"}).to_pylist()
        return WorldInfo(**row)

    def decision_points(self, world: str) -> tuple[DecisionPoint, ...]:
        """The world's decision points, ascending."""
        rows = self._rows("points", world)
        return tuple(DecisionPoint(int(r["t1"]), int(r["spacing"])) for r in rows)

    def point(self, world: str, t1: int) -> DecisionPoint:
        """The decision point at a turn.

        Raises:
            ArgumentError: the world has none there.
        """
        points = self.decision_points(world)
        for point in points:
            if point.turn == t1:
                return point
        raise ArgumentError(f"world {world!r} has no decision point at turn {t1!r}, but at {[p.turn for p in points]}")

    def records(self, world: str) -> Rows:
        """Quantities per turn and civilization, by turn and player; see the table `records`."""
        return self._rows("records", world)

    def civs(self, world: str) -> Rows:
        """What else the engine tells of each civilization per turn; see the table `civs`."""
        return self._rows("civs", world)

    def pairs(self, world: str) -> Rows:
        """Diplomacy per turn and ordered pair; see the table `pairs`."""
        return self._rows("pairs", world)

    def map_changes(self, world: str) -> Rows:
        """Tiles that changed their looks, by turn and tile; see the table `maps`."""
        return self._rows("maps", world)

    def digests(self, world: str) -> dict[int, str]:
        """Turn -> digest, of the mainline."""
        rows = self._rows("turns", world)
        return dict(zip(rows["turn"].tolist(), rows["digest"].tolist(), strict=True))

    def years(self, world: str) -> list[int]:
        """The game's year in each turn of the mainline."""
        years: list[int] = self._rows("turns", world)["year"].tolist()
        return years

    def track(self, world: str) -> Track:
        """The mainline's quantities."""
        return self._once(("track", world), lambda: track(self.records(world), None, self.digests(world)))

    def futures(self, world: str, t1: int) -> tuple[Track, ...]:
        """The re-seeded futures of a decision point, each from its turn t1 to t1 + D."""
        return self._once(("futures", world, t1), lambda: self._futures(world, t1))

    def _futures(self, world: str, t1: int) -> tuple[Track, ...]:
        self.point(world, t1)
        rows = self._rows("futures", world)
        rows = rows[rows["t1"] == t1]
        ends = self._rows("branches", world)
        ends = ends[(ends["t1"] == t1) & (ends["arm"] == "future")]
        return tuple(
            track(rows[rows["future"] == k], int(end["seed"]), {int(end["turn"]): str(end["digest"])})
            for k, end in enumerate(ends)
        )

    def events(self, world: str) -> tuple[Event, ...]:
        """What happened on the mainline, oldest first; `civworld.events` selects from it."""
        return self._once(("events", world), lambda: _events(self._read("events", [world])))

    def future_events(self, world: str, t1: int) -> tuple[tuple[Event, ...], ...]:
        """What happened in each future of a decision point after the command window of t1 opened."""
        return self._once(("future_events", world, t1), lambda: self._future_events(world, t1))

    def _future_events(self, world: str, t1: int) -> tuple[tuple[Event, ...], ...]:
        count = len(self.futures(world, t1))
        found = self._read("future_events", [world])
        found = found.filter(pc.field("t1") == t1)
        return tuple(_events(found.filter(pc.field("future") == k)) for k in range(count))

    def arms(self, world: str, t1: int) -> dict[str, ArmSet]:
        """The arms of each operator at a decision point, by its name."""
        return dict(self._once(("arms", world, t1), lambda: self._arms(world, t1)))

    def _arms(self, world: str, t1: int) -> dict[str, ArmSet]:
        point = self.point(world, t1)
        rows, ends = (r[r["t1"] == t1] for r in (self._rows("arms", world), self._rows("branches", world)))
        control = stretch(self.track(world), t1, t1 + point.horizons[-1], self.digests(world))
        futures = {f.seed: f for f in self.futures(world, t1)} if len(ends) else {}
        found = {}
        for cell in self._read("cells", [world]).filter(pc.field("t1") == t1).to_pylist():
            name = cell["operator"]
            told = {key: cell[key] for key in ("operator", "variant", "eligible", "reason", "player", "other")}
            lists = {key: json.loads(cell[key]) for key in ("targets", "expected", "undone")}
            lists |= {"targets": tuple(lists["targets"]), "undone": tuple(lists["undone"])}
            played = (
                arm_tracks(rows[rows["operator"] == name], ends[ends["operator"] == name]) if cell["eligible"] else {}
            )
            pairs = tuple((futures[seed], t) for (arm, seed), t in played.items() if arm == "real" and seed is not None)
            recheck = "".join(ends["digest"][(ends["operator"] == name) & (ends["arm"] == "recheck")])
            found[name] = ArmSet(
                **told, **lists, control=control, recheck_digest=recheck, real=played.get(("real", None)),
                placebo=played.get(("placebo", None)), pairs=pairs,
            )  # fmt: skip
        return found

    def briefing(self, world: str, t1: int, view: str | int = "omni", *, shown: Shown = FULL, notes: str = "") -> str:
        """What a forecaster is told at a decision point, see `civworld.report.briefing`.

        Args:
            world: id of the world.
            t1: the decision point.
            view: "omni", or the number of a civilization living at t1, for what that one knows.
            shown: what to leave out or add.
            notes: study notes, printed first when `shown.notes`.

        Raises:
            ArgumentError: the world has no such decision point or view, or notes are asked for but not given.
        """
        self.point(world, t1)
        found = self._read("briefings", [world]).filter(pc.field("t1") == t1)
        viewer = OMNI if view == "omni" else view
        parts = {row["part"]: row["text"] for row in found.to_pylist() if row["viewer"] == viewer}
        if not parts:
            known = sorted(set(found.column("viewer").to_pylist()) - {OMNI})
            raise ArgumentError(f"briefing: view {view!r} of {world!r} at turn {t1}: 'omni' and {known} are there")
        return compose(parts, shown, notes)

    # ---- memory and hidden parts -------------------------------------------------------------------------

    def checkpoint(self, world: str, t1: int) -> Checkpoint:
        """The world at a decision point, exactly.

        Taken from its image where one lies there for this engine build; played again from turn 1 otherwise. Both
        are checked against the recorded digest. An image is trusted like code, see `Checkpoint.load`: remove the
        folder `images` of a corpus from strangers, it is a cache.

        Raises:
            CorpusMismatch: this engine build is another, and its replay comes to another world.
        """
        self.point(world, t1)
        expected = self.digests(world)[t1]
        path = self.root / IMAGES / world / image_name(t1)
        if self.build_id == build_info().build_id and path.exists():
            try:
                found = Checkpoint.load(path)
            except CheckpointError:
                found = None
            if found is not None and found.digest == expected:
                return found
        with World(self.definition().world(world).config) as live:
            live.advance(t1 - 1)
            if live.digest() != expected:
                raise CorpusMismatch(
                    f"{self.root}: world {world!r} at turn {t1} has digest {expected}, the replay on build "
                    f"{build_info().build_id} (the corpus: {self.build_id}) came to {live.digest()}",
                    field="digest",
                )
            return live.checkpoint()

    def hidden(self, world: str) -> Hidden:
        """What no forecaster may see. Nothing else of this class gives any of it away but `definition`."""
        config = self.definition().world(world).config
        return Hidden(config, *(self._rows(f"hidden_{part}", world) for part in ("civs", "pairs", "rules", "edits")))


def _events(found: pa.Table) -> tuple[Event, ...]:
    columns = [found.column(name).to_pylist() for name in Event._fields]
    return tuple(map(Event._make, zip(*columns, strict=True)))
