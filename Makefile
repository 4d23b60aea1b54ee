# SPDX-License-Identifier: GPL-2.0-or-later
# `make demo` and `make test` work on a fresh Debian machine that has git, make and Python 3.11 or newer.
# PYTHON is the distribution's own where that is new enough, for that is the one its packages and headers belong to.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in /usr/bin/python3 python3; do "$$p" -c "$(NEW_ENOUGH)" 2>/dev/null && echo "$$p" && break; done)
VENV ?= .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.civworld
EXTRAS ?= dev,plot
BUILD_INPUTS := pyproject.toml $(shell find csrc freeciv_patches -type f ! -path '*/tests/*' ! -name '*.pyc')

.PHONY: all demo docs test test-all clients lint bench stock-check dist bare clean system browser walls stock

all: $(STAMP)

demo: $(STAMP)
	$(PY) examples/fork_intervention.py

# Writes those pages of docs/ anew that are made from the code, and the notebooks; then runs the tutorials and builds
# the site in build/site. A warning is an error.
docs: $(STAMP)
	$(PY) -m pip install -q -e ".[dev,plot,docs]"
	$(PY) tests/pages.py
	$(PY) tests/notebooks.py
	$(PY) -m sphinx -q -W --keep-going -b html -d build/site-pages docs build/site
	$(PY) tests/site_links.py build/site

test: $(STAMP) browser walls
	$(PY) -m pytest -q -m "not slow" -n 2 --dist loadfile

test-all: $(STAMP) browser walls
	$(PY) -m pytest -q -n 2 --dist loadfile

# Installs the libraries that people train with (large) and plays some steps with each.
clients: $(STAMP)
	$(PY) -m pip install -q -e ".[clients]"
	$(PY) -m pytest -q tests/test_clients.py

lint: $(STAMP)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/mypy examples
	$(VENV)/bin/basedpyright --pythonpath $(PY)

bench: $(STAMP) stock
	$(PY) benchmarks/speed/run.py

# Builds the unpatched server and compares 120 turns with it, field by field (about half an hour).
stock-check: $(STAMP) stock
	$(PY) benchmarks/stock/compare.py

# What is published: source distribution, wheel for CPython 3.11 and later, checksums.
dist: $(STAMP)
	$(PY) -m pip install -q -e ".[release]"
	PYTHONPATH=csrc/build $(PY) -m civworld_build.dist dist

# Tries that wheel on bare systems (Debian 12 and 13, unpacked below $(BARE)); as root.
BARE ?= /tmp/civworld-bare
bare: dist
	@PYTHON="$(PYTHON)" sh csrc/build/system-packages.sh debootstrap
	$(PY) tests/bare_systems.py dist/*.whl "$(BARE)" bookworm trixie

system:
	@PYTHON="$(PYTHON)" sh csrc/build/system-packages.sh

# Pages are tested in a real browser; where none can be installed, those tests are skipped and say so.
browser:
	-@PYTHON="$(PYTHON)" sh csrc/build/system-packages.sh chromium

# The sandbox is tested with bubblewrap; where it cannot be installed, those tests are skipped and say so.
walls:
	-@PYTHON="$(PYTHON)" sh csrc/build/system-packages.sh bubblewrap/bwrap

$(VENV)/bin/python: | system
	"$(or $(PYTHON),python3)" -m venv --clear $(VENV)
	$(PY) -m pip install -q --upgrade pip

# Compiling first, outside pip, shows its progress; the installation then takes the result from the cache.
$(STAMP): $(VENV)/bin/python $(BUILD_INPUTS)
	$(PY) -m pip install -q ninja cffi "setuptools>=77" wheel
	PYTHONPATH=csrc/build $(PY) -m civworld_build.compile
	$(PY) -m pip install -q -e ".[$(EXTRAS)]"
	@touch $@

# What the unpatched server needs besides to build.
stock:
	@PYTHON="$(PYTHON)" sh csrc/build/system-packages.sh libcurl4-openssl-dev:curl/curl.h libicu-dev:unicode/uchar.h \
		libsqlite3-dev:sqlite3.h

clean:
	rm -rf build dist out .pytest_cache src/*.egg-info src/civworld/_engine/*.so src/civworld/_engine/data
