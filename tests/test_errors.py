# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole table of errors: each can be pickled and copied, and comes back with all that it tells."""

import copy
import inspect
import multiprocessing
import pickle

import pytest

from civworld import errors

CLASSES = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, Exception)]


def made(cls):
    """An error of a class, with something in every attribute."""
    if cls is errors.UnknownNameError:
        return cls("table", lambda: None, ["cities", "units"])
    asked = inspect.signature(cls.__init__).parameters.values()
    named = {p.name: 7 if p.name in ("seed", "turn") else p.name for p in asked if p.kind is p.KEYWORD_ONLY}
    return cls("what happened", **named)


def told(error):
    return type(error), str(error), error.args, vars(error)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_error_can_be_pickled_and_copied(cls):
    error = made(cls)
    error.add_note("beside it")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert told(pickle.loads(pickle.dumps(error, protocol))) == told(error)
    assert told(copy.copy(error)) == told(error)
    assert told(copy.deepcopy(error)) == told(error)
    with pytest.raises(cls) as caught:
        raise pickle.loads(pickle.dumps(error))
    assert str(caught.value) == str(error)


def fail(name):
    raise made(getattr(errors, name))


def test_the_standard_librarys_pool_gets_every_error():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for cls in CLASSES:
            with pytest.raises(cls):
                pool.apply_async(fail, (cls.__name__,)).get(60)
