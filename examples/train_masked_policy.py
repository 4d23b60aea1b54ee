# SPDX-License-Identifier: GPL-2.0-or-later
"""Train a masked policy for a few updates with a public library: MaskablePPO of sb3-contrib.

Usage: pip install ".[rl]"; python examples/train_masked_policy.py [--steps 256] [--turns 20]
"""

import argparse
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

import civworld
from civworld.envs import FreecivEnv
from civworld.extras import needs

Vector = npt.NDArray[np.float32]

SHOWN = ("gold", "cities", "citizens", "techs", "units", "score", "tax", "luxury", "science", "bulbs", "bulbs_cost")


class Features(gymnasium.ObservationWrapper[Vector, Any, Any]):
    """A short vector: the nation's own figures, the kinds of orders in the menu, and how the turn stands."""

    def __init__(self, env: FreecivEnv) -> None:
        super().__init__(env)
        self.masks = env.action_masks
        self.columns = [env.fields["players"].index(name) for name in SHOWN]
        size = len(SHOWN) + env.config.menu + 2
        self.observation_space = gymnasium.spaces.Box(-1, 20, (size,), np.float32)

    def observation(self, observation: dict[str, Any]) -> Vector:
        """Figures on a logarithmic scale, so that none drowns the others."""
        turn, _, _, step, *_ = observation["globals"]
        figures = np.log1p(np.clip(observation["players"][0, self.columns], 0, None))
        return np.concatenate([figures, observation["action_mask"], np.log1p([turn, step])]).astype(np.float32)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """What MaskablePPO asks for."""
        return self.masks()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=256, help="environment steps to train for")
    parser.add_argument("--turns", type=int, default=20, help="turns of an episode")
    args = parser.parse_args()
    with needs("rl", "this example"):
        from sb3_contrib import MaskablePPO
    config = civworld.WorldConfig(players=3, map_size=1)
    env = Features(FreecivEnv(config, turns=args.turns, menu=128, orders_per_turn=8))
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64, n_epochs=4, seed=1, device="cpu")
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(args.steps)
    moved = sum(float((p.detach() - q).abs().sum()) for p, q in zip(model.policy.parameters(), before, strict=True))
    print(f"{model.num_timesteps} steps, {model._n_updates} epochs of updates; parameters moved by {moved:.2f}")
    observation, _ = env.reset(seed=5)
    gained, over = 0.0, False
    while not over:
        action, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
        observation, reward, terminated, truncated, _ = env.step(int(action))
        gained, over = gained + float(reward), terminated or truncated
    print(f"the policy gained a score of {gained:g} in {args.turns} turns")


if __name__ == "__main__":
    main()
