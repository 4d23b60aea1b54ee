# SPDX-License-Identifier: GPL-2.0-or-later
"""Keep a narrated world running: play one round by hand, then score the reference with one event missing."""

import argparse

from civworld.world_agent.maintenance import RuleJudge, Session, load, plan_of, run, score, solution


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    case = load("mill_village")
    session = Session(case, "easy")
    print(session.narrative(), "\n")
    print("look: ", session.request("get_entity", {"entity": "bess"})["result"])
    reap = {"capability": "reap", "actor": "ada", "args": {"plot": "longfield", "n": 6}}
    print("act:  ", session.request("trigger", reap)["result"]["rule"])
    answer = session.request("trigger", {"capability": "reap", "actor": "mill", "args": {}})
    print("wrong:", answer["reason"], f"({answer['left']} requests left)\n")

    without_light = [step for step in plan_of(case) if step.event != "light"]
    for name, plan in (("reference", None), ("oven never lit", without_light)):
        result = score(run(case, "hard", solution(case, "hard", plan)), RuleJudge())
        print(f"{name}: completion {result.completion:.3f}, relation {result.relation:.3f}")
    for item, why in result.to_data()["failed"].items():
        print(f"  lost {item}: {why}")


if __name__ == "__main__":
    main()
