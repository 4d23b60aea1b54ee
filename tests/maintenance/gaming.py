# SPDX-License-Identifier: GPL-2.0-or-later
"""Ways to score without keeping a world running, each with the honest run that it must not beat.

`causeless` does every told event at the right time by capabilities that bring its effects about from nothing: it
earns events, and no causes. Five strategies add to it what might pass for causes. Five more know nothing of the
story and compete with doing nothing.
"""

from collections.abc import Callable

from civworld.world_agent.maintenance import Call, ScriptedAgent, do_nothing, plan_of, solution

NOTE = [
    Call("define_type", {"name": "note", "fields": {"n": "int", "m": "int"}}),
    Call("create_entity", {"entity": "note", "type": "note"}),
]


def effect(case, pattern):
    kind = case.structures["types"][case.structures["entities"][pattern.role]["type"]][pattern.field]
    path = f"{pattern.role}.{pattern.field}"
    if pattern.sign in "+-" and pattern.sign != "~":
        return f"{path} {pattern.sign}= {pattern.value or 1}"
    if pattern.sign == "~":
        return {"bool": f"{path} = not {path}", "int": f"{path} += 1"}.get(kind, f"{path} = {pattern.role}")
    if isinstance(pattern.value, bool):
        return f"{path} = {str(pattern.value).lower()}"
    return f"{path} = '{pattern.value}'" if kind == "str" else f"{path} = {pattern.value}"


def causeless(case, tier, extra=lambda place, event: {}, before=()):
    """The told events by capabilities of their own; ``extra`` adds to the specification of each."""
    agent = solution(case, tier, [])
    calls = [[c for c in one if c.tool != "define_capability"] for one in agent.rounds]
    calls[0] += list(before)
    clock = [0] * case.rounds
    for place, step in enumerate(plan_of(case)):
        event, row = case.event(step.event), calls[step.round - 1]
        done = [effect(case, pattern) for pattern in event.done]
        when = {"after": event.lasts, "then": done} if event.lasts else {"do": done}
        more = extra(place, event)
        spec = {"name": f"e_{event.id}", "about": event.what, **when, **{k: v for k, v in more.items() if k != "do"}}
        if "do" in more:
            spec["do"] = [*spec.get("do", []), *more["do"]]
        row.append(Call("define_capability", {"capability": spec}))
        if step.at > clock[step.round - 1]:
            row.append(Call("wait", {"units": step.at - clock[step.round - 1]}))
            clock[step.round - 1] = step.at
        args = {"capability": spec["name"], **({"actor": event.by} if event.by else {})}
        row.append(Call("trigger", args))
    return ScriptedAgent(calls)


def everything(case):
    types = case.structures["types"]
    paths = [f"{e}.{f}" for e, row in case.structures["entities"].items() for f in types[row["type"]]]
    return {f"r{place}": path for place, path in enumerate(paths[:40])}


def read_everything(case, tier):
    return causeless(case, tier, lambda place, event: {"let": everything(case)})


def no_op_writes(case, tier):
    return causeless(
        case, tier, lambda place, event: {"do": [f"{p.role}.{p.field} = {p.role}.{p.field}" for p in event.done]}
    )


def dummy_copies(case, tier):
    return causeless(case, tier, lambda place, event: {"do": ["note.m = note.n", "note.n += 1"]}, NOTE)


def counter_gate(case, tier):
    return causeless(case, tier, lambda p, e: {"when": [f"note.n >= {p}"], "do": ["note.n += 1"]}, NOTE)


def fingerprint_gate(case, tier):
    return causeless(case, tier, lambda p, e: {"when": [f"note.n == {p}"], "do": ["note.n += 1"]}, NOTE)


def set_from_outside(case, tier):
    """The final values, without a deed."""
    agent = solution(case, tier, [])
    for event in case.events:
        fields = {}
        for p in event.done:
            if p.sign == "=" and p.value is not None:
                fields[p.role] = {p.field: p.value}
        agent.rounds[event.round - 1] += [Call("alter_entity", {"entity": r, "fields": f}) for r, f in fields.items()]
    return agent


def people(case):
    kinds = {spec["actor"] for spec in case.structures["capabilities"] if "actor" in spec}
    return [name for name, row in case.structures["entities"].items() if row["type"] in kinds]


def deed_of_all_work(case, tier):
    """One capability that does a bit of everything to everything, by everybody, every round."""
    types, do = case.structures["types"], []
    for name, row in case.structures["entities"].items():
        for field, kind in types[row["type"]].items():
            do += {"bool": [f"{name}.{field} = true"], "int": [f"{name}.{field} += 1"]}.get(kind, [])
    agent = solution(case, tier, [])
    agent.rounds[0].append(Call("define_capability", {"capability": {"name": "all_work", "do": do[:40]}}))
    for calls in agent.rounds:
        calls += [Call("trigger", {"capability": "all_work", "actor": who}) for who in people(case)]
    return agent


def jolts(case, tier):
    """A capability for each entity that moves three of its fields, by everybody."""
    types, agent = case.structures["types"], solution(case, tier, [])
    for name, row in case.structures["entities"].items():
        fields = [(field, kind) for field, kind in types[row["type"]].items() if kind in ("bool", "int")]
        do = [f"{name}.{field} = true" if kind == "bool" else f"{name}.{field} += 1" for field, kind in fields]
        agent.rounds[0].append(Call("define_capability", {"capability": {"name": f"jolt_{name}", "do": do[:3]}}))
    for calls in agent.rounds:
        pairs = [(n, who) for n in case.structures["entities"] for who in people(case)]
        calls += [Call("trigger", {"capability": f"jolt_{n}", "actor": who}) for n, who in pairs[:35]]
    return agent


def named_capabilities(case, tier):
    """Capabilities with the reference's names that do nothing, each used by everybody in every round."""
    agent = solution(case, tier, [])
    for spec in case.structures["capabilities"]:
        if tier != "easy":
            agent.rounds[0].append(
                Call("define_capability", {"capability": {"name": spec["name"], "about": spec["about"]}})
            )
    for calls in agent.rounds:
        calls += [Call("trigger", {"capability": spec["name"]}) for spec in case.structures["capabilities"]]
    return agent


def mentions(case, tier):
    """A capability that takes two entities and does nothing, triggered with all of them."""
    agent = solution(case, tier, [])
    spec = {"name": "look", "params": {"a": "ref", "b": "ref"}}
    agent.rounds[0].append(Call("define_capability", {"capability": spec}))
    names = list(case.structures["entities"])
    for calls in agent.rounds:
        calls += [
            Call("trigger", {"capability": "look", "actor": a, "args": {"a": a, "b": b}})
            for a, b in zip(names, [*names[1:], names[0]], strict=True)
        ]
    return agent


def all_day(case, tier):
    """The causeless deeds, each scheduled for every hour of its round."""
    agent = causeless(case, tier)
    for number, calls in enumerate(agent.rounds):
        kept = [call for call in calls if call.tool not in ("trigger", "wait")]
        start = number * case.units
        for call in (one for one in calls if one.tool == "trigger"):
            plan = {"at": start + 1, "do": call.args["capability"], "every": 1, "until": start + case.units}
            kept.append(Call("schedule", {**plan, **({"actor": call.args["actor"]} if "actor" in call.args else {})}))
        agent.rounds[number] = kept
    return agent


Maker = Callable[[object, str], ScriptedAgent]


def nothing(case, tier):
    return do_nothing(case)


STRATEGIES: dict[str, tuple[Maker, Maker]] = {
    "read everything": (read_everything, causeless),
    "no-op writes": (no_op_writes, causeless),
    "dummy copies": (dummy_copies, causeless),
    "counter gate": (counter_gate, causeless),
    "fingerprint gate": (fingerprint_gate, causeless),
    "set from outside": (set_from_outside, nothing),
    "deed of all work": (deed_of_all_work, nothing),
    "jolts": (jolts, nothing),
    "named capabilities": (named_capabilities, nothing),
    "mentions": (mentions, nothing),
    "all day": (all_day, nothing),
}
