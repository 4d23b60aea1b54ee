# SPDX-License-Identifier: GPL-2.0-or-later
"""Seeded mutations of the reference solutions, and what each must cost, worked out from the plan alone.

The expectation knows the case's declarations and the plan's times. It does not run the world and shares
nothing with the scoring: drop, swap, break and violate must lose exactly what it says.
"""

import random
import re
from dataclasses import dataclass, field, replace

from civworld.world_agent.maintenance import Call, MaintenanceCase, RuleJudge, Step, plan_of, run, solution, structures
from civworld.world_agent.maintenance.patterns import write_meets
from civworld.world_agent.maintenance.trace import states


@dataclass
class Mutation:
    case: MaintenanceCase
    tier: str
    kind: str
    label: str
    plan: list[Step]
    tampered: dict[str, tuple[int, int]] = field(default_factory=dict)  # path -> (time, place in plan)
    violated: str = ""


def clock(case, step):
    return (step.round - 1) * case.units + step.at


class Expectation:
    """What a plan achieves: which events, structures and relations."""

    def __init__(self, mutation):
        self.mutation, self.case = mutation, mutation.case
        order = sorted(mutation.plan, key=lambda step: (step.round, step.at))
        self.start = {s.event: (clock(self.case, s), 1 + n) for n, s in enumerate(order) if s.event}
        self.step = {s.event: s for s in order if s.event}

    def end(self, name):
        lasts = self.case.event(name).lasts
        time, place = self.start[name]
        return (time + lasts, 0) if lasts else (time, place)

    def happened(self, name):
        """Present, not before what it needs, and done within its round."""
        fits = name in self.step and self.step[name].at + self.case.event(name).lasts <= self.case.units
        return fits and self.effective(name)

    def effective(self, name):
        """Has its effects, if only after its round."""
        needs = self.case.event(name).needs
        return name in self.start and all(self.effective(need) and self.flows(need, name) for need in needs)

    def spec(self, name):
        return self.case.capability(self.case.event(name).do)

    def written(self, name, path):
        """When an event writes a field: at its end when its delayed effects do."""
        form = rf"\.{path.split('.')[1]}\s*[-+]?=(?!=)"
        late = any(re.search(form, text) for text in self.spec(name).get("then", ()))
        return self.end(name) if late else self.start[name]

    def read(self, name, path):
        """When an event reads a field: at its start, at its end, or both."""
        spec, form = self.spec(name), rf"\.{path.split('.')[1]}\b(?!\s*=[^=])"
        early = [*spec.get("let", {}).values(), *spec.get("do", ()), *spec.get("when", ()), str(spec.get("after", ""))]
        moments = [self.start[name]] if any(re.search(form, text) for text in early) else []
        return moments + ([self.end(name)] if any(re.search(form, t) for t in spec.get("then", ())) else [])

    def overwrites(self, name, path):
        """Whether an event sets the field without having read it, which cuts a flow through it."""
        entity, wanted = path.split(".")
        event = self.case.event(name)
        bound = {"actor": event.by, **event.args}
        texts = [*self.spec(name).get("do", ()), *self.spec(name).get("then", ())]
        targets = [m[1] for text in texts if (m := re.match(rf"(\w+)\.{wanted}\s*=(?!=)", text))]
        return entity in [bound.get(target, target) for target in targets] and not self.read(name, path)

    def flows(self, first, second, paths=()):
        """Whether the second event can have read what the first one wrote, by the plan's times."""
        for relation in self.case.relations:
            if relation.kind == "CA" and (relation.first, relation.second) == (first, second):
                paths = relation.via
        if not paths:
            return self.end(first) <= self.start[second] or self.end(first) < self.end(second)
        return any(self.carries(first, second, path) for path in paths)

    def carries(self, first, second, path):
        return any(self.written(first, path) < read for read in self.read(second, path))

    def intact(self, first, second, path):
        """Whether some read of the second sees the first one's write, with nothing cutting in between."""
        cuts = [self.written(x, path) for x in self.start if x != first and self.overwrites(x, path)]
        if path in self.mutation.tampered:
            cuts.append(self.mutation.tampered[path])
        written = self.written(first, path)
        return any(written < read and not any(written < cut < read for cut in cuts) for read in self.read(second, path))

    def left_over(self, first, second, path):
        """Whether enough of what is used up would be there without the first event, from an earlier one that nobody
        used: then the second does not depend on the first."""
        wanted = path.split(".")[1]
        uses, brings = rf"\.{wanted} = max\(0, \w+\.{wanted} - (\d+)\)", rf"\.{wanted} \+= (\d+)"
        if not any(re.search(uses, text) for text in self.spec(second).get("do", ())):
            return False
        stock = 0
        for name in sorted(self.start, key=self.start.get):
            if path.split(".")[0] not in {self.case.event(name).by, *self.case.event(name).args.values()}:
                continue
            texts = " ".join(self.spec(name).get("do", ()))
            if name == second:
                return stock >= int(re.search(uses, texts)[1])
            stock += sum(int(m) for m in re.findall(brings, texts)) * (name != first)
            stock = max(0, stock - sum(int(m) for m in re.findall(uses, texts)))

    def relation(self, relation):
        a, b = relation.first, relation.second
        if not (self.happened(a) and self.happened(b)):
            return False
        if relation.kind == "CA":
            return any(self.intact(a, b, path) and not self.left_over(a, b, path) for path in relation.via)
        start, end = self.start, self.end
        if relation.kind == "TM":
            gap = start[b][0] - end(a)[0]
            return relation.low <= gap and (relation.high is None or gap <= relation.high)
        if relation.kind == "OR":
            return start[a] < start[b]
        low, high = max(start[a][0], start[b][0]), min(end(a)[0], end(b)[0])
        lasting = self.case.event(a).lasts and self.case.event(b).lasts
        return low < high if lasting else low <= high

    def structure(self, one):
        for number in one.rounds:
            events = [e for e in self.case.events if e.round == number and self.happened(e.id)]
            if one.kind == "capability" and one.name not in {e.do for e in events}:
                return False
            if one.kind == "entity" and not any(one.name in e.told() for e in events):
                return False
        return True

    def lost(self):
        tier = self.mutation.tier
        out = {f"E {e.id}" for e in self.case.events if not self.happened(e.id)}
        out |= {f"A {s.id}" for s in structures(self.case) if s.scored(tier) and not self.structure(s)}
        out |= {f"{r.kind} {r.id}" for r in self.case.relations if not self.relation(r)}
        out |= {f"P {p.id}" for p in self.case.probes if self.shown(p) and not all(self.held(*pair) for pair in p.held)}
        return out | ({f"P {self.mutation.violated}"} if self.mutation.violated else set())

    def shown(self, probe):
        """Whether the run's types, or an event that happened, tell the field that the probe speaks of."""
        done = {pattern.name for event in self.case.events if self.happened(event.id) for pattern in event.done}
        return self.mutation.tier != "extreme" or probe.never.name in done

    def held(self, first, second):
        """Whether a probe is kept: the second event, if it is tried, comes after the first."""
        return second not in self.start or (self.happened(first) and self.end(first) <= self.start[second])


def drop(case, tier, rng):
    plan = plan_of(case)
    step = rng.choice(plan)
    return Mutation(case, tier, "drop", step.event, [one for one in plan if one is not step])


def swap(case, tier, rng):
    """Swaps the times of two events of one round that some relation ties together."""
    plan = plan_of(case)
    steps = {step.event: step for step in plan}
    pairs = [
        (r.first, r.second)
        for r in case.relations
        if steps[r.first].round == steps[r.second].round and steps[r.first].at != steps[r.second].at
    ]
    a, b = rng.choice(sorted(set(pairs)))
    times = {a: steps[b].at, b: steps[a].at}
    moved = [replace(step, at=times.get(step.event, step.at)) for step in plan]
    return Mutation(case, tier, "swap", f"{a}/{b}", sorted(moved, key=lambda step: (step.round, step.at)))


def other(value, case, entity, name):
    """A value of the field's type that differs from ``value``."""
    kind = case.structures["types"][case.structures["entities"][entity]["type"]][name].split()[0]
    return {"bool": not value, "str": "scratched", "int": (value or 0) + 1 if kind == "int" else 0}.get(kind)


def break_cause(case, tier, rng):
    """Between cause and effect, scratches the carrying field and puts it right: only the flow is cut."""
    relation = rng.choice([r for r in case.relations if r.kind == "CA"])
    mutation = Mutation(case, tier, "break", relation.id, plan_of(case))
    known, session = Expectation(mutation), run(case, tier, solution(case, tier))
    for path in relation.via:
        entity, name = path.split(".")
        read, second = min(known.read(relation.second, path)), known.step[relation.second]
        late = read == known.end(relation.second) and case.event(relation.second).lasts
        at = second.at + case.event(relation.second).lasts - 1 if late else second.at
        time = (second.round - 1) * case.units + at
        if late and known.written(relation.first, path) >= (time, 99):
            return None
        boundary = session.boundaries[second.round - 1]
        value = boundary.before.get(entity, {}).get(name)
        for record, before in states(boundary.before, boundary.records):
            after = (
                (record.time, record.index) >= (time + 1, 0)
                if late
                else (
                    record.kind == "capability"
                    and record.rule == case.event(relation.second).do
                    and record.actor == case.event(relation.second).by
                    and record.time >= time
                )
            )
            if after:
                break
            value = before.get(entity, {}).get(name)
            for write in record.writes:
                value = write.new if (write.entity, write.field) == (entity, name) else value
        else:
            value = boundary.checkpoint.store.fields[entity][name]
        changes = [other(value, case, entity, name), value]
        if touches_probe(case, second.round, entity, name, value, changes):
            return None
        place = len(mutation.plan) if late else mutation.plan.index(known.step[relation.second])
        calls = [
            Step(second.round, at, Call("alter_entity", {"entity": entity, "fields": {name: one}})) for one in changes
        ]
        mutation.plan[place:place] = calls
    mutation.plan.sort(key=lambda step: (step.round, step.at))
    for number, step in enumerate(mutation.plan):
        if step.call.tool == "alter_entity":
            path = f"{step.call.args['entity']}.{next(iter(step.call.args['fields']))}"
            mutation.tampered[path] = (clock(case, step), 1 + number)
    return mutation


def touches_probe(case, number, entity, name, value, changes):
    from civworld.world_agent.kernel import Write

    steps = [Write(entity, name, "", value, changes[0]), Write(entity, name, "", changes[0], value)]
    return any(
        write_meets(probe.never, write, {}) or any(p.role == entity for p in probe.when)
        for probe in case.probes
        if probe.first <= number <= probe.last
        for write in steps
    )


def violate(case, tier, rng):
    probe = rng.choice(case.probes)
    extra = []
    for row in probe.violate:
        args = {"capability": row["capability"], "args": dict(row["args"]), "actor": row["actor"]}
        extra.append(Step(row["round"], row["at"], Call("trigger", args)))
    known = {s["capability"] for s in probe.violate} - {e.do for e in case.events if e.round <= extra[0].round}
    if tier != "easy" and known:  # the reference has not built the capability yet: build it for the violation
        builds = [
            Step(
                extra[0].round,
                extra[0].at,
                Call("define_capability", {"capability": dict(case.capability(n))}),
            )
            for n in sorted(known)
        ]
        extra = builds + extra
    plan = sorted(plan_of(case) + extra, key=lambda step: (step.round, step.at))
    return Mutation(case, tier, "violate", probe.id, plan, violated=probe.id)


KINDS = (drop, swap, break_cause, violate)


def mutate(case, tier, seed):
    """One mutation that costs something, reproducible from its seed."""
    rng = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    for _ in range(50):
        mutation = kind(case, tier, rng)
        if mutation is not None and Expectation(mutation).lost():
            return mutation
    raise AssertionError(f"{case.name}: no {kind.__name__} found for seed {seed}")


def result_of(mutation, score):
    session = run(mutation.case, mutation.tier, solution(mutation.case, mutation.tier, mutation.plan))
    return session, score(session, RuleJudge())
