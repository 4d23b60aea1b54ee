# SPDX-License-Identifier: GPL-2.0-or-later
"""Run configurations: which model answers, how hard it thinks, what it may use and what that costs.

A configuration is a TOML file. Keys of services are never in it; they come from the environment, as inspect_ai reads
them.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from civworld.civworldbench.asking.query import Query
from civworld.civworldbench.folders.lines import Path_, read_text
from civworld.civworldbench.folders.provenance import value_digest
from civworld.errors import ArgumentError, UnknownNameError

EFFORTS = ("", "none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Words of `effort`; "" leaves it to the provider."""
SHAPING = ("model", "base_url", "effort", "max_tokens", "temperature", "seed", "retries", "timeout")
"""Members that may change answers and so make up a configuration's identity."""
CHARACTERS_PER_TOKEN = 2.8
"""Of Quantity prompts of small worlds under GPT-3's byte pair encoding; other tasks have up to 3.2."""
ANSWER_TOKENS: Mapping[str, int] = MappingProxyType(
    {"quantiles": 31, "probability": 16, "distribution": 30, "ranking": 17, "class": 7}
)
"""Tokens that a cell of a kind takes in an answer, its id included, measured like that."""
MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Dollars per million tokens, as the provider lists them.

    Attributes:
        input: of a prompt.
        output: of an answer, thinking included.
        cached: of a prompt that the provider had kept; None takes `input`.
    """

    input: float
    output: float
    cached: float | None = None

    def of(self, tokens: Tokens) -> float:
        """Dollars for so many tokens."""
        cached = self.input if self.cached is None else self.cached
        return (tokens.input * self.input + tokens.cached * cached + tokens.output * self.output) / MILLION


@dataclass(frozen=True)
class Tokens:
    """Tokens of a run.

    Attributes:
        input: of prompts, those from a provider's cache left out.
        output: of answers, thinking included.
        cached: of prompts that the provider had kept.
        reasoning: those of `output` that were thinking, as far as the provider says.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        pairs = zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)
        return Tokens(*(a + b for a, b in pairs))


@dataclass(frozen=True)
class RunConfig:
    """How a model is asked.

    Attributes:
        name: what the forecaster is called in tables; also the name of its answer file.
        model: the model as inspect_ai names it, for example `openai/gpt-5`.
        base_url: address of a server of one's own; empty for the provider's.
        effort: one of `EFFORTS`.
        max_tokens: longest answer, thinking included; 0 leaves it to the provider.
        temperature: of sampling; None leaves it to the provider.
        seed: of sampling; None sends none.
        retries: how often a request is repeated that failed, was refused for haste (429) or took too long.
        timeout: seconds for one attempt.
        connections: requests at the same time.
        thinking: tokens a prompt that the model is expected to think, for the estimate.
        price: what tokens cost; None where that is not known.
    """

    name: str
    model: str
    base_url: str = ""
    effort: str = ""
    max_tokens: int = 0
    temperature: float | None = None
    seed: int | None = None
    retries: int = 5
    timeout: int = 600
    connections: int = 10
    thinking: int = 0
    price: Price | None = field(default=None)

    def __post_init__(self) -> None:
        if not self.name or not self.name.replace("-", "").replace("_", "").replace(".", "").isalnum():
            raise ArgumentError(f"run: name {self.name!r}: letters, digits, hyphens, dots and underscores are needed")
        if "/" not in self.model:
            raise ArgumentError(f"run {self.name}: model {self.model!r}: PROVIDER/MODEL is needed, as in openai/gpt-5")
        if self.effort not in EFFORTS:
            raise UnknownNameError("effort", self.effort, EFFORTS)
        for what, least in (("max_tokens", 0), ("retries", 0), ("timeout", 1), ("connections", 1), ("thinking", 0)):
            if getattr(self, what) < least:
                raise ArgumentError(f"run {self.name}: {what} is {getattr(self, what)}; {least} or more is needed")

    @property
    def identity(self) -> str:
        """Digest of what may change answers; prices, the name and the number of connections are no part of it."""
        return value_digest({name: getattr(self, name) for name in SHAPING})[:16]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class Estimate:
    """What a run is expected to take.

    Attributes:
        prompts: requests, retries left out.
        tokens: expected tokens.
        dollars: what they cost; None without a price.
        most: dollars if every answer were as long as `max_tokens` allows; None without a price or a limit.
    """

    prompts: int
    tokens: Tokens
    dollars: float | None
    most: float | None

    def __str__(self) -> str:
        words = f"{self.prompts:,} prompts, about {self.tokens.input:,} tokens in and {self.tokens.output:,} out"
        cost = "" if self.dollars is None else f", about ${self.dollars:,.2f}"
        return words + cost + ("" if self.most is None else f", at most ${self.most:,.2f} without retries")


def estimate(config: RunConfig, queries: Iterable[Query]) -> Estimate:
    """What it takes to ask these queries once."""
    asked = list(queries)
    given = sum(round(len(query.prompt) / CHARACTERS_PER_TOKEN) for query in asked)
    wanted = [config.thinking + sum(ANSWER_TOKENS[cell.kind] for cell in query.cells) for query in asked]
    tokens = Tokens(given, sum(min(n, config.max_tokens or n) for n in wanted))
    longest = Tokens(given, config.max_tokens * len(asked))
    price = config.price
    most = price.of(longest) if price is not None and config.max_tokens else None
    return Estimate(len(asked), tokens, None if price is None else price.of(tokens), most)


def read_run(path: Path_) -> RunConfig:
    """The configuration that a TOML file describes.

    Raises:
        ArgumentError: no TOML, a member missing, or a value of the wrong kind.
        UnknownNameError: an unknown member or effort.
    """
    where = Path(path)
    try:
        values = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ArgumentError(f"{where}: {error}") from None
    if "price" in values:
        values["price"] = Price(**_members(f"{where}: price", values["price"], _PRICE, ("input", "output")))
    return RunConfig(**_members(str(where), values, _RUN, ("name", "model")))


Kinds = Mapping[str, tuple[type, ...]]
_NUMBER = (int, float)
_PRICE: Kinds = {"input": _NUMBER, "output": _NUMBER, "cached": _NUMBER}
_RUN: Kinds = {
    "name": (str,), "model": (str,), "base_url": (str,), "effort": (str,), "max_tokens": (int,),
    "temperature": _NUMBER, "seed": (int,), "retries": (int,), "timeout": (int,), "connections": (int,),
    "thinking": (int,), "price": (Price,),
}  # fmt: skip


def _members(what: str, values: Any, kinds: Kinds, needed: tuple[str, ...]) -> dict[str, Any]:
    """The members of a table, each of one of its kinds."""
    if not isinstance(values, dict):
        raise ArgumentError(f"{what} is {values!r}; a table is needed")
    for key, value in values.items():
        if key not in kinds:
            raise UnknownNameError(f"member of {what}", key, kinds)
        if not isinstance(value, kinds[key]) or isinstance(value, bool):
            raise ArgumentError(f"{what}: {key} is {value!r}; {kinds[key][0].__name__} is needed")
    missing = [key for key in needed if key not in values]
    if missing:
        raise ArgumentError(f"{what}: {' and '.join(missing)} is needed")
    return dict(values)
