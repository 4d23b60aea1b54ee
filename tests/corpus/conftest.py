# SPDX-License-Identifier: GPL-2.0-or-later
"""One small corpus that the tests of this folder read."""

import pytest
from minis import mini

from civworld import corpus


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Folder of a corpus of two worlds, built in this process. Not to be changed."""
    root = tmp_path_factory.mktemp("corpus") / "mini"
    report = corpus.build(mini(2), root, runner=corpus.SingleRunner())
    assert report.made == ["mini-0", "mini-1"] and not report.failures
    return root


@pytest.fixture
def held(built):
    """The same corpus, open."""
    return corpus.open(built)
