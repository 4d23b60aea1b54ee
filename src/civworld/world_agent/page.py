# SPDX-License-Identifier: GPL-2.0-or-later
"""A page that shows a maintenance run: narrative, requests, state, bindings and verdicts of each round."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape

from civworld.world_agent.kernel import show
from civworld.world_agent.maintenance import Boundary, Item, Judge, Session, contract, score

STYLE = """body{font:15px/1.45 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}
pre{white-space:pre-wrap;background:#f4f4f4;padding:.6em}table{border-collapse:collapse}
td,th{border:1px solid #ccc;padding:.15em .5em;text-align:left;vertical-align:top}
code,td,h1{overflow-wrap:anywhere}.no{color:#a00}.yes{color:#060}"""


def page(session: Session, judge: Judge) -> str:
    """The page of a finished session, with the verdicts of a judge, as HTML without scripts."""
    result = score(session, judge)
    scores = f"completion {_number(result.completion)}, relation {_number(result.relation)}"
    head = f"{session.case.title}: {session.tier}, {scores}"
    phone = '<meta name=viewport content="width=device-width">'
    parts = [f"<!doctype html><html lang=en><meta charset=utf-8>{phone}<title>{escape(head)}</title>"]
    parts.append(f"<style>{STYLE}</style>")
    parts.append(f"<h1>{escape(head)}</h1><p>{escape(session.case.intro)}</p>")
    for boundary in session.boundaries:
        items = [item for item in result.items if item.round == boundary.round and item.scored]
        parts += _round(session, judge, boundary, items)
    if result.rejected:
        rows = "".join(f"<li>{escape(one)}</li>" for one in result.rejected)
        parts.append(f"<h2>Bindings that programs did not confirm</h2><ul>{rows}</ul>")
    return "\n".join(parts)


def _number(value: float | None) -> str:
    return "not scored" if value is None else f"{value:.3f}"


def _round(session: Session, judge: Judge, boundary: Boundary, items: list[Item]) -> Iterator[str]:
    number = boundary.round
    yield f"<h2>Round {number}, time {boundary.start} to {boundary.end}</h2>"
    yield f"<p>{escape(session.case.narrative[number - 1])}</p><h3>Requests</h3><table>"
    for request in session.requests:
        if request.round == number:
            tone = "yes" if request.ok else "no"
            said = escape(json.dumps(request.args, ensure_ascii=False, default=str)[:400])
            why = "" if request.ok else escape(request.reason[:200])
            yield f"<tr class={tone}><td>{escape(request.tool)}<td><code>{said}</code><td>{why}</tr>"
    yield "</table><h3>Records</h3><pre>"
    yield escape("\n".join(str(record) for record in boundary.records))
    yield "</pre><h3>State at the boundary</h3><pre>"
    rows = boundary.checkpoint.store.fields
    yield escape("\n".join(f"{n}: " + ", ".join(f"{f} {show(v)}" for f, v in row.items()) for n, row in rows.items()))
    verdict = judge.judge(contract(session.case, number), boundary)
    yield "</pre><h3>Bindings</h3><table>"
    for event, indexes in verdict.events.items():
        yield f"<tr><td>{escape(event)}<td>{escape(', '.join(f'#{index}' for index in indexes))}</tr>"
    for structure, name in verdict.structures.items():
        yield f"<tr><td>{escape(structure)}<td>{escape(name)}</tr>"
    yield "</table><h3>Verdicts</h3><table>"
    for item in items:
        tone, word = ("yes", "passed") if item.passed else ("no", "lost")
        yield f"<tr class={tone}><td>{item.part}<td>{escape(item.id)}<td>{word}<td>{escape(item.why)}</tr>"
    yield "</table>"
