# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports: golden texts, ablations, and that nothing hidden shows."""

import random
import re

import numpy as np
import pytest

import civworld
from adding import forgotten
from civworld import corpus, edits, events, report
from civworld.errors import ArgumentError
from civworld.events import Event
from civworld.report import Shown
from civworld.report.layout import civilizations, lost_sight_of
from civworld.report.narrative import GROUPED, SENTENCES, SILENT, is_news
from civworld.report.nations import people, plurals
from civworld.state import StateView
from report_worlds import GOLDEN, TURN, VIEWER, golden_texts, history

NAMES = {0: "Zulu", 1: "Roman", 2: "Pirate"}
BARE = Shown(history=False, narrative=False, policies=False)


@pytest.fixture(scope="module")
def now():
    """The golden world at turn 61."""
    with civworld.World.from_checkpoint(history()[TURN]) as world:
        yield world


def views(turns, player=None):
    found = []
    for turn in turns:
        with history()[turn].fork() as world:
            found.append(world.state() if player is None else world.view(player))
    return found


def replaced(view: StateView, **tables) -> StateView:
    """The same moment with some tables replaced; None drops one."""
    held = {name: view.table(name) for name in view.tables} | tables
    info = {key: getattr(view, key) for key in ("turn", "year", "xsize", "ysize", "topology")}
    return StateView({name: rows for name, rows in held.items() if rows is not None}, info)


# ---- texts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["report_omni.txt", "report_ego.txt"])
def test_golden(name):
    assert golden_texts()[name] == (GOLDEN / name).read_text(), "run tests/report_worlds.py when the change is meant"


def test_a_briefing_has_frames_story_and_policies():
    text = report.briefing_at(history(), TURN)
    assert re.findall(r"^== Turn (\d+)", text, re.M) == ["21", "41", "61"]
    assert text.count("Changes since turn") == 2
    assert "== What happened from turn 22 to 61 ==" in text
    assert "== Policies at turn 61 ==" in text


def test_frames_lie_40_turns_apart_from_turn_81():
    assert report.frame_turns(41) == (1, 21, 41)
    assert report.frame_turns(80) == (40, 60, 80)
    assert report.frame_turns(81) == (1, 41, 81)
    assert report.frame_turns(30) == (10, 30)


def test_a_live_world_reports_as_its_record_does():
    with civworld.World.from_checkpoint(history()[21]) as world:
        world.timeline()
        world.advance(40)
        assert world.report() == report.briefing_at(history(), TURN)
        assert world.report(view=VIEWER) == report.briefing_at(history(), TURN, view=VIEWER)
        assert world.report(shown=BARE).count("== Turn") == 1


def test_switches_leave_out_or_add_one_thing_each():
    past, log = views((21, 41, 61)), history()[TURN].fork().events()

    def made(**switches):
        return report.briefing(past, log, shown=Shown(**switches), notes="Cities grow.", future=later)

    later = (Event(60, "end_turn", "alliance", 0, 1), Event(65, "begin_phase", "peace", 0, 1, former="Armistice"))
    full = made()
    assert report.frame(past[-1]).rstrip() in made(history=False) and report.frame(past[-1]).rstrip() in full
    assert "== Turn 21" not in made(history=False) and "Changes since" not in made(history=False)
    assert "What happened" not in made(narrative=False) and "Policies" not in made(policies=False)
    assert "Cities grow." not in full and made(notes=True).endswith(full)
    told = made(future=True)
    assert told.startswith(full) and "are at peace" in told[len(full) :] and "become allies" not in told[len(full) :]


def test_events_after_the_last_frame_are_not_told():
    log = history()[TURN].fork().events()
    secret = Event(61, "window", "alliance", 0, 1), Event(62, "begin_phase", "city_founded", 0, name="Nowhere")
    assert report.briefing(views((61,)), (*log, *secret)) == report.briefing(views((61,)), log)


def test_rebels_have_frames_from_when_they_are_players():
    with history()[TURN].fork() as world:
        with world._engine_call() as running:
            running.call("cw_world_command", b"lua cmd edit.civil_war(find.player(0), 100)")
        world._cache.clear()
        rebels = events.select(world.events(), "civil_war")[0].other
        late = {**history(), TURN: world.checkpoint()}
    text = report.briefing_at(late, TURN, view=rebels)
    assert re.findall(r"^== Turn (\d+)", text, re.M) == ["61"]
    assert "== What happened from turn 22 to 61 ==" in text
    assert re.search(r"^\w+: new$", report.briefing_at(late, TURN), re.M)


def test_bad_requests_are_refused(now):
    with pytest.raises(ArgumentError, match="no views"):
        report.briefing([], ())
    with pytest.raises(ArgumentError, match="oldest first"):
        report.briefing(views((41, 21)), ())
    with pytest.raises(ArgumentError, match="several kinds"):
        report.briefing([*views((21,)), *views((41,), VIEWER)], ())
    with pytest.raises(ArgumentError, match="no notes"):
        report.briefing(views((21,)), (), shown=Shown(notes=True))
    with pytest.raises(ArgumentError, match="omni"):
        now.report(view="all")


# ---- the story ---------------------------------------------------------------------------------------------------


def test_every_kind_of_event_is_told_in_one_way_or_left_out_on_purpose():
    ways = [set(SENTENCES), set(GROUPED), set(SILENT)]
    assert set.union(*ways) == set(events.kinds()), forgotten("A kind of event")
    assert sum(map(len, ways)) == len(events.kinds())


@pytest.mark.parametrize("kind", [*SENTENCES, *GROUPED])
def test_every_sentence_names_those_it_is_about(kind):
    event = Event(33, "begin_phase", kind, 0, 1, 7, 0, 5, 1, "killed", "Thing", "Before")
    text = report.narrative([event], NAMES)
    assert text.startswith("Turns 31-35\n  ") and "Zulu" in text and not set("{}") & set(text)
    assert ("Roman" in text) == ("other" in events.kinds()[kind].fields and kind != "player_joined")


def test_the_story_is_told_in_blocks_of_five_turns():
    log = [Event(turn, "begin_phase", "city_founded", 0, city=turn, name=f"C{turn}") for turn in (5, 6, 8, 10, 11)]
    assert report.narrative(log, NAMES, last=10) == (
        "Turns 1-5\n  The Zulu found C5 (T5).\nTurns 6-10\n  The Zulu found C6 (T6), C8 (T8), C10 (T10).\n"
    )
    assert report.narrative(log, NAMES, first=12) == "Nothing is known to have happened.\n"


def test_units_used_up_as_intended_are_no_news():
    lost = Event(5, "begin_phase", "unit_lost", 0, name="Settlers", cause="used")
    assert not is_news(lost) and is_news(lost._replace(cause="killed"))


def test_a_player_learns_of_others_only_what_embassies_and_the_engine_tell():
    far = Event(9, "begin_phase", "advance_gained", 1, name="Alphabet", cause="researched")
    embassy = Event(8, "begin_phase", "embassy", 0, 1)
    wonder = Event(9, "end_phase", "wonder_built", 1, name="Colossus")
    city = Event(9, "begin_phase", "city_founded", 1, name="Roma")
    own = Event(9, "begin_phase", "city_founded", 0, name="Ulundi")
    assert report.known_to([far, wonder, city, own], 0) == (wonder, own)
    assert report.known_to([embassy, far, city], 0) == (embassy, far)
    assert report.known_to([embassy, embassy._replace(kind="embassy_lost"), far], 0) == (
        embassy,
        embassy._replace(kind="embassy_lost"),
    )
    assert report.known_to([far, embassy], 1) == (far, embassy)


# ---- policies -----------------------------------------------------------------------------------------------------


def test_policies_tell_courses_in_order_of_urgency(now):
    view = now.state()
    pairs, diplomacy, hidden = (np.array(view.table(name)) for name in ("hidden_pairs", "diplomacy", "hidden_players"))
    pairs["countdown"] = -1
    diplomacy["state"] = b"Peace"
    hidden["strategy"] = b"Open"
    quiet = {"hidden_pairs": pairs, "diplomacy": diplomacy, "hidden_players": hidden, "units": view.units[:0]}
    cities = np.array(view.cities)
    cities["production"] = b"Library"
    calm = report.policies(replaced(view, cities=cities, **quiet))
    assert {p.courses for p in calm.values()} == {("building up",)}
    assert [p.goal for p in calm.values()] == [bytes(view.player(i)["tech_goal"]).decode() for i in calm]
    pairs["countdown"][(pairs["player"] == 0) & (pairs["other"] == 1)] = 3
    diplomacy["state"][(diplomacy["player"] == 0) & (diplomacy["other"] == 2)] = b"War"
    hidden["strategy"][hidden["player"] == 0] = b"Space"
    cities["production"], cities["production_kind"] = b"Settlers", b"UnitType"
    nation = {p: q.nation for p, q in calm.items()}
    busy = report.policies(replaced(view, cities=cities, **quiet))
    assert busy[0].courses == (
        f"at war with the {nation[2]}", f"preparing war against the {nation[1]}", "space race", "expanding",
    )  # fmt: skip


# ---- nothing hidden shows -------------------------------------------------------------------------------------------


def test_frames_need_no_hidden_table(now):
    view = now.state()
    public = replaced(view, **{name: None for name in view.tables if name.startswith("hidden_")})
    assert report.frame(public) == report.frame(view)


def test_no_name_of_a_hidden_field_shows(now):
    view = now.state()
    public = {f for name in view.tables if not name.startswith("hidden_") for f in view.table(name).dtype.names}
    hidden = {f for name in view.tables if name.startswith("hidden_") for f in view.table(name).dtype.names} - public
    assert {"love", "expansionist", "countdown", "game_seed", "foodbox"} <= hidden
    for text in golden_texts().values():
        assert not {name for name in hidden if re.search(rf"\b{name}\b", text)}


def hide(world: civworld.World) -> None:
    """Change everything that no player can see."""
    world.apply(edits.SetTrait(player=0, trait="aggressive", value=137))
    world.apply(edits.SetAttitude(player=0, other=2, value=-731))
    world.apply(edits.SetRule(rule="disasters", value=433))


def test_what_nobody_can_see_changes_no_report():
    with history()[TURN].fork() as world:
        shown = Shown(policies=False)
        before = world.report(shown=shown), world.report(view=VIEWER)
        hide(world)
        assert (world.report(shown=shown), world.report(view=VIEWER)) == before


def unseen_changes(world: civworld.World, viewer: int, rng: random.Random) -> int:
    """Change the world where the viewer does not look; how many changes were made."""
    known, state = world.view(viewer), world.state()
    strangers = known.players["id"][(known.players["level"] == 0) & ~known.players["is_barbarian"]].tolist()
    dark = known.tiles["index"][known.tiles["known"] < 2].tolist()
    seen = set(known.cities["id"][known.cities["age"] == 0].tolist())
    far = [c for c in state.cities if int(c["id"]) not in seen and int(c["owner"]) != viewer]
    land = {int(t["id"]) for t in state.rules.terrains if t["terrain_class"] == b"Land"}
    # away from everybody: neighbours would make contact, which their friends may see
    at = list(zip(state.tiles["x"].tolist(), state.tiles["y"].tolist(), strict=True))
    near = {(at[t][0] + i, at[t][1] + j) for t in state.units["tile"] for i in (-1, 0, 1) for j in (-1, 0, 1)}
    near |= {(at[t][0] + i, at[t][1] + j) for t in state.cities["tile"] for i in (-1, 0, 1) for j in (-1, 0, 1)}
    empty = [t for t in dark if state.tiles["terrain"][t] in land and at[t] not in near]
    made = 0
    for player in strangers:
        world.apply(edits.AddGold(player=player, amount=rng.randrange(1, 999)))
        made += 1
    for city in rng.sample(far, min(2, len(far))):
        world.apply(edits.RenameCity(city=int(city["id"]), new_name=f"Hidden {rng.randrange(10**6)}"))
        made += 1
    owners = [int(p) for p in state.players["id"][~state.players["is_barbarian"]] if int(p) != viewer]
    for tile in rng.sample(empty, min(3, len(empty))):
        owner = rng.choice(owners)
        script = f"edit.create_unit(find.player({owner}), find.tile({tile}), find.unit_type('Archers'), 0, nil, -1)"
        with world._engine_call() as running:
            running.call("cw_world_command", f"lua cmd {script}".encode())
        world._cache.clear()
        made += int(len(world.state().units) > len(state.units))
    return made


@pytest.mark.parametrize("viewer", range(4))
@pytest.mark.parametrize("turn", [21, 61])
def test_what_a_player_cannot_see_changes_no_byte_of_its_report(viewer, turn):
    for seed in range(2):
        with history()[turn].fork() as world:
            before = world.report(view=viewer)
            assert unseen_changes(world, viewer, random.Random(seed)) > 3, "nothing was changed"
            assert world.report(view=viewer) == before, f"seed {seed}"


def test_what_a_player_can_see_does_change_its_report():
    with history()[TURN].fork() as world:
        before = world.report(view=VIEWER)
        world.apply(edits.AddGold(player=VIEWER, amount=7))
        assert world.report(view=VIEWER) != before


def test_ego_frames_hold_no_city_that_the_player_never_saw(now):
    known = {c.decode() for c in now.view(VIEWER).cities["name"].tolist()}
    unknown = {c.decode() for c in now.state().cities["name"].tolist()} - known
    assert unknown
    text = now.report(view=VIEWER)
    assert not {name for name in unknown if name in text}


def test_who_was_met_stays_in_the_report_with_what_was_last_known():
    """In this world contact lapses between the frames of turns 21 and 41."""
    with civworld.World(corpus.suite("tiny").worlds[0].config) as world:
        frames = [world.advance(turn - world.turn).view(0) for turn in (21, 41)]
        (lost,) = lost_sight_of(frames[1])
        text = report.frame(frames[1], earlier=frames[:1])
        was = next(p for p in civilizations(frames[0]) if p["id"] == lost["id"])
        states = world.state().diplomacy
    pair = states[(states["player"] == 0) & (states["other"] == lost["id"])]
    assert pair["state"][0] != b"Never met"
    assert (
        f"{lost['nation']} (player {lost['id']}): out of contact, last known on turn 21: score {was['score']}" in text
    )
    assert f"treasury {was['gold']} gold" in text
    assert f"{lost['nation']} (player {lost['id']}): met, out of contact" in report.frame(frames[1])


def test_people_are_called_by_the_plural_of_their_nation():
    assert people("Indonesian") == "Indonesians"
    assert people("French") == "French"
    assert people("no such nation") == "no such nation"
    assert len(plurals()) > 500
