# SPDX-License-Identifier: GPL-2.0-or-later
"""Environments: conformance, exactness, actions, rewards, ends of episodes."""

import hashlib
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import civworld
from civworld import envs
from civworld.commands import AcceptTreaty, Clause, Goal, Propose, Research
from civworld.envs.baselines import expander
from civworld.errors import ArgumentError, CheckpointMismatch, LifecycleError, UnknownNameError
from helpers import in_new_process, played

TINY = civworld.WorldConfig(seed=7, players=3, map_size=1)


def parallel(**settings):
    return civworld.parallel_env(TINY, **{"turns": 12, "orders_per_turn": 3, **settings})


def aec(**settings):
    return civworld.env(TINY, **{"turns": 12, "orders_per_turn": 3, **settings})


@pytest.fixture
def env():
    made = parallel()
    made.reset(seed=3)
    yield made
    made.close()


def masked(env, draw):
    """A random legal action of every agent."""
    return {a: int(draw.choice(np.flatnonzero(env.action_mask(a)))) for a in env.agents}


def fingerprint(value):
    """Hash of nested observations, rewards and infos, integers compared exactly."""

    def plain(v):
        if isinstance(v, dict):
            return {k: plain(x) for k, x in v.items()}
        return (v.dtype.str, v.shape, v.tobytes()) if isinstance(v, np.ndarray) else repr(v)

    return hashlib.sha256(repr(plain(value)).encode()).hexdigest()


def play(env, steps, draw):
    """Fingerprints of random play, until the episode ends."""
    seen = []
    for _ in range(steps):
        if not env.agents:
            break
        seen.append(fingerprint(env.step(masked(env, draw))))
    return seen


# ---- conformance -----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:reset. options")
def test_parallel_api():
    parallel_api_test(parallel(turns=3), num_cycles=30)


def test_parallel_seed():
    parallel_seed_test(lambda: parallel(turns=3), num_cycles=20)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_aec_api():
    api_test(aec(turns=3), num_cycles=40)


def test_aec_seed():
    seed_test(lambda: aec(turns=3), num_cycles=15)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasium_api():
    made = gymnasium.make("civworld/Freeciv-v0", config=TINY, turns=3, render_mode="rgb_array")
    assert made.spec.id == "civworld/Freeciv-v0"
    check_env(made.unwrapped)
    made.close()


def test_several_gymnasium_environments_run_in_one_process():
    many = gymnasium.make_vec("civworld/Freeciv-v0", num_envs=2, config=TINY, turns=5, orders_per_turn=1)
    observations, _ = many.reset(seed=[3, 4])
    alone = gymnasium.make("civworld/Freeciv-v0", config=TINY, turns=5, orders_per_turn=1)
    expected, _ = alone.reset(seed=4)
    for _ in range(4):
        assert {key: rows[1].tobytes() for key, rows in observations.items()} == {
            key: rows.tobytes() for key, rows in expected.items()
        }
        observations, *_ = many.step(np.array([1, 2]))
        expected, *_ = alone.step(2)
    many.close()
    alone.close()


# ---- exactness -------------------------------------------------------------------------------------------

RUN = """
import sys
sys.path.insert(0, "tests")
import numpy as np
import test_envs
env = test_envs.parallel(turns=35, orders_per_turn=2)
env.reset(seed=args[0])
print(json.dumps([test_envs.play(env, 80, np.random.default_rng(5)), env.world.digest()]))
"""


def test_two_processes_play_the_same_episode_for_35_turns():
    env = parallel(turns=35, orders_per_turn=2)
    env.reset(seed=11)
    seen = play(env, 80, np.random.default_rng(5))
    assert len(set(seen)) == len(seen) >= 35
    assert env.world.turn >= 31
    assert in_new_process(RUN, 11) == [seen, env.world.digest()]


def test_an_episode_is_replayed_from_its_recipe():
    env = parallel(orders_per_turn=2)
    env.reset(seed=8)
    play(env, 14, np.random.default_rng(2))
    assert any(step[0] == "order" for step in env.world._steps)
    assert civworld.replay(civworld.recipe(env.world)).digest() == env.world.digest()


def test_a_fork_given_the_same_actions_stays_equal_and_given_others_disturbs_nobody():
    env = parallel(turns=50, orders_per_turn=1)
    env.reset(seed=4)
    play(env, 10, np.random.default_rng(0))
    start = env.checkpoint()
    same, other, alone = env.fork(), env.fork(), env.fork()
    expected = play(alone, 30, np.random.default_rng(1))
    assert alone.world.turn == start.world.turn + 30
    draws = [np.random.default_rng(seed) for seed in (1, 1, 2)]
    seen = [[], [], []]
    for _ in range(30):
        for one, draw, found in zip((env, same, other), draws, seen, strict=True):
            found += play(one, 1, draw)
    assert seen[0] == seen[1] == expected
    assert seen[2] != expected
    assert play(env.restore(start), 30, np.random.default_rng(1)) == expected


def test_a_fork_of_the_cycle_form_goes_on_between_two_agents():
    env = aec()
    env.reset(seed=4)
    for _ in range(5):
        env.step(0)
    child = env.fork()
    assert child.agent_selection == env.agent_selection == "player_1"
    for action in (1, 0, 2, 3, 0, 0):
        for one in (env, child):
            one.step(action)
        assert fingerprint(env.last()) == fingerprint(child.last())
    assert env.world.digest() == child.world.digest()
    start = env.checkpoint()
    env.step(0)
    env.step(0)
    env.restore(start)
    assert fingerprint(env.last()) == fingerprint(child.last())


def test_a_fork_of_the_gymnasium_form_draws_the_same_seeds():
    env = gymnasium.make("civworld/Freeciv-v0", config=TINY, turns=5).unwrapped
    env.reset(seed=9)
    child = env.fork()
    assert fingerprint(env.step([])) == fingerprint(child.step([]))
    assert fingerprint(env.reset()) == fingerprint(child.reset())


def test_seeds_fix_everything_and_unseeded_resets_differ():
    def first(seed=None, **settings):
        return fingerprint(parallel(**settings).reset(seed=seed))

    assert first(5) == first(5) != first(6)
    assert first() == first(TINY.seed), "the first episode plays the config's seed"
    env = parallel()
    starts = [fingerprint(env.reset()) for _ in range(3)]
    assert len(set(starts)) == 3
    again = parallel()
    assert fingerprint(again.reset()) == starts[0], "the first is the config's, the rest is drawn"
    assert fingerprint(again.reset()) not in starts
    seeded = [[fingerprint(one.reset(seed=s)) for s in (4, None, None)] for one in (parallel(), parallel())]
    assert seeded[0] == seeded[1], "a seed fixes the episodes after it too"
    free = [civworld.parallel_env(agents=1) for _ in range(2)]
    assert len({one.np_random.integers(2**60) for one in free}) == 2, "without a config nothing is fixed"


def test_an_episode_begins_from_a_checkpoint():
    start = played(TINY, 61)
    env = parallel(turns=2)
    observations, infos = env.reset(options={"start": start})
    assert infos["player_0"]["turn"] == 61 and not env.world.state().player(1)["is_ai"]
    assert env.world.state().player(2)["is_ai"] and env.observation_space("player_0").contains(observations["player_0"])
    same, other = parallel(turns=2), parallel(turns=2)
    same.reset(options={"start": start})
    other.reset(seed=5, options={"start": start})
    ends = [
        [one.step({a: [] for a in one.agents}) for _ in range(2)] and one.world.digest() for one in (env, same, other)
    ]
    assert ends[0] == ends[1] != ends[2] and not env.agents
    lone = gymnasium.make("civworld/Freeciv-v0", config=TINY, turns=2).unwrapped
    assert lone.reset(options={"start": start})[1]["turn"] == 61 and lone.world.state().player(1)["is_ai"]
    with pytest.raises(CheckpointMismatch) as caught:
        civworld.parallel_env(civworld.WorldConfig(players=4, map_size=1)).reset(options={"start": start})
    assert caught.value.field == "players"
    with pytest.raises(ArgumentError):
        env.reset(options={"start": "turn 61"})


# ---- observations ----------------------------------------------------------------------------------------


def test_observations_are_what_the_player_knows(env):
    for _ in range(4):
        env.step({a: [] for a in env.agents})
    for number, agent in enumerate(env.agents):
        seen, view = env.observe(agent), env.world.view(number)
        assert env.observation_space(agent).contains(seen)
        plane = dict(zip(envs.PLANES, seen["map"], strict=True))
        assert np.array_equal(plane["known"].ravel(), view.tiles["known"])
        assert np.array_equal(plane["terrain"].ravel(), view.tiles["terrain"] + 1)
        values = dict(zip(envs.GLOBALS, seen["globals"], strict=True))
        assert (values["turn"], values["player"], values["units"]) == (5, number, len(view.units))
        column = env.fields["units"].index
        own = view.own_units
        assert np.array_equal(seen["units"][: len(own), column("id")], own["id"])
        assert (seen["units"][len(view.units) :] == -1).all()
        assert seen["players"][number, env.fields["players"].index("gold")] == view.me["gold"]
        known = np.flatnonzero(seen["advances"])
        assert len(known) == view.me["techs"] + 1
        assert view.me["nation"].decode() in env.text(agent)


def test_nothing_hidden_leaks_into_an_observation(env):
    for _ in range(4):
        env.step({a: [] for a in env.agents})
    before = fingerprint(env.observe("player_0"))
    assert env.world.view(0).player(2)["level"] == 0
    env.edit(civworld.edits.AddGold(player=2, amount=50))
    env.edit(civworld.edits.SetTrait(player=2, trait="aggressive", value=333))
    assert fingerprint(env.observe("player_0")) == before
    env.edit(civworld.edits.AddGold(player=0, amount=50))
    assert fingerprint(env.observe("player_0")) != before


def test_an_omniscient_observation_shows_everything():
    env = parallel(view="omni", text=True)
    observations, infos = env.reset(seed=1)
    seen = observations["player_0"]
    assert env.observation_space("player_0").contains(seen)
    assert (seen["map"][envs.PLANES.index("known")] == 2).all()
    assert dict(zip(envs.GLOBALS, seen["globals"], strict=True))["units"] == len(env.world.state().units)
    assert infos["player_1"]["text"] == env.text("player_1")


@pytest.mark.parametrize("ruleset", ["classic", "alien"])
def test_other_rulesets_and_teams_fit_the_spaces(ruleset):
    config = civworld.WorldConfig(players=4, map_size=3, ruleset=ruleset, teams=2)
    env = civworld.parallel_env(config, agents=3, turns=3)
    observations, _ = env.reset(seed=2)
    for _ in range(2):
        assert all(env.observation_space(a).contains(seen) for a, seen in observations.items())
        founding = {a: [e.command for e in env.menu(a).entries if "Found City" in e.text] for a in env.agents}
        observations, *_ = env.step(founding)
    level = env.view("player_0").players["level"].tolist()
    assert level[:3] == [3, 2, 0], "team mates have embassies"
    buildings = env.fields["cities"].index("production")
    assert (observations["player_0"]["cities"][0, buildings] >= 0) == bool(len(env.view("player_0").own_cities))


# ---- actions ---------------------------------------------------------------------------------------------


def test_the_turn_ends_when_all_have_ended_it_or_the_budget_is_spent(env):
    turn = env.world.turn
    env.step({"player_0": 0, "player_1": None})
    assert (
        env.world.turn == turn and env.action_mask("player_1").sum() > 1 and not env.action_mask("player_0")[1:].any()
    )
    _, rewards, *_, infos = env.step({"player_0": 1, "player_1": 0})
    assert env.world.turn == turn + 1 == infos["player_0"]["turn"]
    assert [r.reason for r in infos["player_0"]["refused"]] == ["the agent has ended its turn"]
    assert set(rewards) == {"player_0", "player_1"}
    for _ in range(3):
        env.step({"player_0": 1, "player_1": 1})
    assert env.world.turn == turn + 2


def test_orders_of_a_step_run_in_player_order_and_are_recorded(env):
    orders = {"player_1": [Goal("Currency")], "player_0": [Goal("Bronze Working"), Research("Alphabet")]}
    *_, infos = env.step(orders)
    assert len(infos["player_0"]["outcomes"]) == 2 and len(infos["player_1"]["outcomes"]) == 1
    done = [step for step in env.world._steps if step[0] == "order"]
    assert [step[1] for step in done] == [0, 0, 1]
    assert env.world.view(0).me["tech_goal"] == b"Bronze Working"


def test_a_treaty_on_the_table_is_seen_by_both_sides_alone():
    env = civworld.parallel_env(civworld.WorldConfig(players=3, map_size=1), agents=3, turns=100)
    env.reset(seed=1)
    while env.view("player_0").player(1)["level"] == 0:
        env.step({a: expander(env.view(a), env.world.legal(n)) for n, a in enumerate(env.agents)})
    seen = {a: fingerprint(env.observe(a)["treaties"]) for a in env.agents}
    clauses = (Clause(1, "Embassy"), Clause(0, "Gold", 7))
    *_, infos = env.step({"player_0": Propose(1, clauses), "player_1": None, "player_2": None})
    assert infos["player_0"]["outcomes"][0].result == "proposed"
    mine, theirs = env.view("player_0").treaties, env.view("player_1").treaties
    found = [(int(c["giver"]), c["kind"].decode(), int(c["value"])) for c in theirs]
    assert found == [tuple(clause) for clause in clauses]
    assert mine["other"].tolist() == [1, 1] and theirs["other"].tolist() == [0, 0]
    assert mine["accepted"].all() and theirs["other_accepted"].all() and not theirs["accepted"].any()
    column = env.fields["treaties"].index("value")
    assert env.observe("player_1")["treaties"][:3, column].tolist() == [0, 7, -1]
    assert fingerprint(env.observe("player_2")["treaties"]) == seen["player_2"] and not len(
        env.view("player_2").treaties
    )
    env.step({"player_0": None, "player_1": AcceptTreaty(0), "player_2": None})
    assert not len(env.view("player_0").treaties) and env.view("player_0").between(0, 1)["has_real_embassy"]


def test_a_menu_entry_is_the_order_it_names(env):
    menu = env.menu("player_0")
    founding = next(i for i in range(1, len(menu)) if "Found City" in menu[i].text)
    assert menu.index(menu[founding].command) == founding
    assert list(menu) == [menu[i] for i in range(1, len(menu))] and menu[founding] in menu
    *_, infos = env.step({"player_0": founding, "player_1": 0})
    assert len(env.world.view(0).own_cities) == 1 and infos["player_0"]["outcomes"][0].city


def test_an_illegal_entry_is_the_same_no_op_every_time(env):
    empty = env.config.menu - 1
    assert not any(env.action_mask(agent)[empty] for agent in env.agents)
    digest = env.world.digest()
    for _ in range(2):
        *_, infos = env.step({"player_0": empty, "player_1": empty})
        assert [r.action for r in infos["player_0"]["refused"]] == [empty] and not infos["player_0"]["outcomes"]
        assert env.world.digest() == digest
    *_, infos = env.step({"player_0": [Research("Future Tech"), Research("No Such Thing")], "player_1": 0})
    assert len(infos["player_0"]["refused"]) == 2


BAD = [
    -1,
    10**9,
    512,
    float("nan"),
    1.0,
    "1",
    b"1",
    True,
    np.float32(1),
    np.nan,
    [1],
    [None],
    {"a": 1},
    np.array([1, 2]),
]


@pytest.mark.parametrize("action", BAD, ids=repr)
def test_what_is_no_action_raises_and_nothing_is_done(env, action):
    digest, at = env.world.digest(), env.checkpoint().standing
    with pytest.raises(ArgumentError, match="player_1"):
        env.step({"player_0": [Goal("Currency")], "player_1": action})
    assert env.world.digest() == digest and env.checkpoint().standing == at


def test_actions_of_the_wrong_agents_are_refused(env):
    for actions in ({}, {"player_0": 0}, {"player_0": 0, "player_1": 0, "player_2": 0}, {"a": 0, "b": 0}):
        with pytest.raises(ArgumentError):
            env.step(actions)
    for call in (env.observe, env.menu, env.text, env.view, env.action_mask):
        with pytest.raises(UnknownNameError):
            call("player_9")


def test_a_long_menu_leaves_out_the_last_entries_of_each_actor(env):
    legal = env.world.legal(0)
    menu = envs.Menu(legal, 12)
    assert len(menu) == 12 and menu.left_out == len(legal) - 11 and menu.mask().sum() == 12
    assert {entry.actor for entry in menu.entries} == {entry.actor for entry in legal}
    short = parallel(menu=12)
    short.reset(seed=3)
    for agent in short.agents:
        assert np.array_equal(short.action_mask(agent), short.menu(agent).mask()) and len(short.menu(agent)) == 12
        assert np.array_equal(env.action_mask(agent), env.menu(agent).mask())
    with pytest.raises(IndexError):
        menu[0]
    with pytest.raises(ArgumentError):
        menu.index(Goal("Computers"))


# ---- rewards and ends ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", envs.REWARDS)
def test_every_reward_pays_for_what_it_says(name):
    env = parallel(reward=name, turns=60)
    env.reset(seed=2)
    paid = {a: 0.0 for a in env.agents}
    first = env.world.state().players
    turns = 0
    while env.agents:
        before = env.world.turn
        founding = {a: [e.command for e in env.menu(a).entries if "Found City" in e.text] for a in env.agents}
        learning = [Goal("Currency")] if before < 3 else []
        _, rewards, *_ = env.step({a: [*founding[a], *learning] for a in env.agents})
        assert all(isinstance(r, float) and np.isfinite(r) for r in rewards.values())
        assert env.world.turn > before or not any(rewards.values())
        turns += env.world.turn - before
        for agent, value in rewards.items():
            paid[agent] += value
    last = env.world.state().players
    gain = {f: (last[f] - first[f])[:2].tolist() for f in ("score", "techs", "cities")}
    total = list(paid.values())
    if name in gain:
        assert total == gain[name] and any(total)
    elif name == "survival":
        assert total == [turns, turns]
    elif name == "score_share":
        assert sum(total) == pytest.approx(0) and total[0] == pytest.approx(
            100 * last["score"][0] / sum(last["score"][:2]) - 50
        )
    else:
        assert total == [0, 0], "nobody has won or died"


def test_a_reward_of_ones_own(env):
    own = parallel(reward=lambda turn, player: turn.gain("gold", player))
    own.reset(seed=3)
    gold = own.world.state().players["gold"][:2].tolist()
    _, rewards, *_ = own.step({a: [] for a in own.agents})
    assert list(rewards.values()) == (own.world.state().players["gold"][:2] - gold).tolist()


def kill(world, player):
    script = (
        f"lua cmd local p = find.player({player}) "
        "for u in p:units_iterate() do edit.unit_kill(u, 'retired', nil) end "
        "for c in p:cities_iterate() do edit.remove_city(c) end"
    )
    with world._engine_call() as running:
        running.call("cw_world_command", script.encode())
    world._cache.clear()


def test_an_agent_that_dies_is_terminated_and_never_comes_back(env):
    won = parallel(reward="win")
    won.reset(seed=3)
    for one in (env, won):
        kill(one.world, 1)
    _, rewards, *_ = won.step({a: [] for a in won.agents})
    assert rewards == {"player_0": 0.0, "player_1": -1.0}
    _, _, terminated, truncated, _ = env.step({"player_0": [], "player_1": []})
    assert terminated == {"player_0": False, "player_1": True} and not any(truncated.values())
    assert env.agents == ["player_0"] and env.possible_agents == ["player_0", "player_1"]
    turn = env.world.turn
    while env.agents:
        assert env.agents == ["player_0"]
        _, _, terminated, truncated, _ = env.step({"player_0": []})
    assert env.world.turn == turn + 11 and truncated == {"player_0": True} and terminated == {"player_0": False}
    with pytest.raises(LifecycleError, match="over"):
        env.step({"player_0": 0})
    env.reset()
    assert env.agents == ["player_0", "player_1"]


def test_a_civilization_born_of_civil_war_is_run_by_the_engine():
    env = parallel(turns=1000)
    env.reset(options={"start": played(TINY, 61)})
    rich = int(np.argmax(env.world.state().players["cities"][:3]))
    assert env.world.state().players["cities"][rich] >= 4
    with env.world._engine_call() as running:
        running.call("cw_world_command", f"lua cmd edit.civil_war(find.player({rich}), 100)".encode())
    env.world._cache.clear()
    born = env.world.state().players[-1]
    assert born["cities"] > 0 and born["id"] > 2 and born["is_ai"] and not born["is_barbarian"]
    observations, _, terminated, *_ = env.step({a: [] for a in env.agents})
    assert env.agents == env.possible_agents == ["player_0", "player_1"] and not any(terminated.values())
    row = observations["player_0"]["players"][born["id"]]
    assert row[env.fields["players"].index("is_alive")] == 1
    assert env.world.state().player(int(born["id"]))["is_ai"]


def test_the_last_civilization_has_won():
    env = parallel(reward="win")
    env.reset(seed=3)
    for player in (1, 2):
        kill(env.world, player)
    _, rewards, terminated, _, infos = env.step({a: [] for a in env.agents})
    assert terminated == {"player_0": True, "player_1": True} and not env.agents
    assert rewards == {"player_0": 1.0, "player_1": -1.0}
    assert infos["player_0"]["won"] and not infos["player_1"]["won"]
    assert env.world.advance().turn == 3, "the world goes on"


# ---- life cycle ------------------------------------------------------------------------------------------


def test_settings_are_checked():
    for wrong in ({"agents": 4}, {"agents": 0}, {"turns": 0}, {"menu": 1}, {"orders_per_turn": 0}, {"text": 1}):
        with pytest.raises(ArgumentError):
            parallel(**wrong)
    for wrong in ({"reward": "glory"}, {"view": "x-ray"}, {"render_mode": "film"}):
        with pytest.raises(UnknownNameError):
            parallel(**wrong)
    with pytest.raises(ArgumentError):
        envs.EnvConfig(world="big")
    with pytest.raises(ArgumentError):
        parallel().reset(seed=-1)
    with pytest.warns(UserWarning, match="colour"):
        parallel().reset(seed=1, options={"colour": "blue"})


@pytest.mark.parametrize("seed", [2**31 - 2, 2**32 - 1, 2**63, np.uint64(2**64 - 1)])
def test_an_environment_takes_any_seed_and_tells_the_one_it_stands_for(seed):
    one, other = parallel(), parallel()
    one.reset(seed=seed)
    other.reset(seed=int(seed))
    assert one.world.digest() == other.world.digest()
    assert one.world.config.seed == civworld.WorldConfig(seed=seed).seed


def test_an_environment_needs_a_reset_first():
    env = parallel()
    for call in (env.checkpoint, env.fork, (env.render_mode and env.render) or env.checkpoint, lambda: env.step({})):
        with pytest.raises(LifecycleError, match="reset"):
            call()
    with pytest.raises(LifecycleError, match="reset"):
        aec().step(0)
    env.close()


def test_a_checkpoint_goes_into_an_environment_of_the_same_settings_only(env):
    start = env.checkpoint()
    with pytest.raises(CheckpointMismatch) as caught:
        parallel(turns=99).restore(start)
    assert caught.value.field == "config"
    fresh = parallel().restore(start)
    assert fresh.agents == env.agents and fingerprint(fresh.observe("player_0")) == fingerprint(env.observe("player_0"))


def test_pictures_show_the_map_and_text_the_standing():
    env = parallel(render_mode="rgb_array")
    env.reset(seed=3)
    state = env.world.state()
    shown = env.render()
    assert shown.dtype == np.uint8 and shown.ndim == 3 and shown.shape[0] == 10 * state.ysize
    assert (shown.reshape(-1, 3).max(1) < 40).mean() > 0.5, "most of the world is dark at first"
    env.step({a: [env.menu(a)[1].command] for a in env.agents})
    assert not np.array_equal(env.render(), shown)
    words = parallel(render_mode="ansi")
    words.reset(seed=3)
    assert "Settlers" in words.render() and "Turn 1," in words.render()
    with pytest.warns(UserWarning, match="render mode"):
        silent = parallel()
        silent.reset(seed=3)
        assert silent.render() is None


def test_a_config_is_a_value_that_pickles():
    config = envs.EnvConfig(TINY, turns=5)
    assert pickle.loads(pickle.dumps(config)) == config
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert config.world_of(3).humans == (0, 1) and config.world_of(3).seed == 3
