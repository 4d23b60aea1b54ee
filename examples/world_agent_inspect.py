# SPDX-License-Identifier: GPL-2.0-or-later
"""World Agent under inspect_ai without a network: scripts instead of models, and the rows for the tables.

With a model: `inspect eval civworld/world_agent_maintenance --model PROVIDER/NAME -T tier=hard`.
"""

import argparse
import tempfile

from civworld.extras import needs

with needs("eval", "this example"):
    from inspect_ai import eval as run_eval

from civworld.integrations.inspect_tasks import (
    rows,
    scripted_deduction,
    scripted_maintenance,
    world_agent_deduction,
    world_agent_maintenance,
)


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    runs = [
        (world_agent_maintenance("lighthouse", "hard"), scripted_maintenance("reference")),
        (world_agent_maintenance("lighthouse", "hard"), scripted_maintenance("do_nothing")),
        (world_agent_deduction("harbour", "naming", "m2"), scripted_deduction("repeat_last")),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for task, solver in runs:
            (log,) = run_eval(task, solver=solver, model="mockllm/model", log_dir=folder, display="none")
            scores = log.results.scores if log.results else []
            means = {(one.name, m.name): m.value for one in scores for m in one.metrics.values()}
            print({name: round(value, 3) for (name, kind), value in means.items() if kind == "mean"})
            print("  row of", [row["solver"] for part in rows(log).values() for row in part])


if __name__ == "__main__":
    main()
