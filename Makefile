# Every target makes its own virtual environment in .venv; Python 3.11+, pip and a network are enough.
# The second run finds it made. PYTHON=... chooses the interpreter.

VENV := .venv
PY := $(VENV)/bin/python
RUN := $(VENV)/.installed-run
DEV := $(VENV)/.installed-dev
PIP := $(PY) -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

# The structure tests are part of `make test`; STRUCTURE=true leaves them out where both run.
STRUCTURE = $(PYTEST) --quiet tests/structure

# The types are those of the oldest Python and its packages; TYPES=true leaves them out on another.
TYPES := $(PY) -m mypy

export PIP_ROOT_USER_ACTION := ignore
# Plots need a folder for their font cache, also where there is no home to write to.
export MPLCONFIGDIR := $(CURDIR)/.cache/matplotlib

# The weights of the model stay in the checkout; RECOLLECT_MODELS=... shares those of another.
export RECOLLECT_MODELS ?= $(CURDIR)/.cache/models

.DEFAULT_GOAL := help
.PHONY: help twins demo wheel test coverage quick check mutate soak bench qmd mcp agents browser viewer-test viewer-shots docs fix reference snapshots picture constraints clean

# Random order on every core; a worker that has nothing left takes tests of another.
PYTEST := $(PY) -m pytest --numprocesses auto --dist worksteal

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

# What moves, copies or removes a whole home.
KEEPING := tests/durability/test_recover_kills.py tests/durability/test_backup_kills.py tests/durability/test_erase_kills.py \
	tests/durability/test_rewind_kills.py tests/durability/test_command_cuts.py

demo: $(RUN) ## Read the sample workspace and transcripts, and answer three questions from them
	@$(VENV)/bin/recollect --home .cache/demo demo --with-model

twins: $(DEV)
	@$(PY) scripts/async_twins.py

wheel: $(DEV) ## Build the wheel and the source archive into dist
	@$(PY) -m hatchling build -d dist

test: twins ## Run every test; those that kill processes by themselves
	@rm -f build/durability.xml build/tests.xml; failed=0; \
	$(PYTEST) tests/durability --junitxml=build/durability.xml || failed=1; \
	$(PYTEST) --ignore=tests/durability --junitxml=build/tests.xml || failed=1; \
	exit $$failed

coverage: $(DEV) ## Run the unit tests and doctests, those of the benchmarks apart, with branch coverage, and hold its floor of 90 %
	@rm -f build/coverage.xml
	@$(PYTEST) -m "not slow" tests/unit tests/structure/test_doctests.py --ignore=tests/unit/benchmarks --cov --cov-report=term --junitxml=build/coverage.xml

quick: $(DEV) ## Run the tests of the rooms that were touched, for at most a minute
	@$(PY) scripts/quick.py

check: twins ## Check format, lint, types, floors, links and sizes
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(TYPES)
	@$(VENV)/bin/lint-imports
	@$(PY) scripts/dead_code.py
	@$(STRUCTURE)

mutate: $(DEV) ## Change the core rooms in places drawn by a seed, and name the changes no test sees; takes long
	@$(PY) -m scripts.mutate

soak: $(DEV) ## Kill and cut the power of recover, backup, restore and erase; play 10,000 random histories of who hears and of what is known, and 1,000 after an erasure, and 2,000 of rewinds; 200 conversations over Telegram with kills; start and stop the worker 1,000 times; takes an hour or so
	@RECOLLECT_DURABILITY=full $(PYTEST) --quiet -o faulthandler_timeout=7200 $(KEEPING)
	@AUDIENCE_HISTORIES=10000 CALLER_HISTORIES=1000 MCP_HISTORIES=1000 $(PYTEST) --quiet -o faulthandler_timeout=0 \
	  tests/integration/recall/test_audiences.py tests/integration/recall/test_callers.py tests/integration/mcp/test_audience.py
	@KNOWLEDGE_HISTORIES=10000 $(PYTEST) --quiet -o faulthandler_timeout=0 tests/integration/recall/test_known_histories.py
	@UNHEARD_HISTORIES=1000 $(PYTEST) --quiet -o faulthandler_timeout=0 tests/integration/recall/test_unheard.py
	@HTTP_HISTORIES=300 HTTP_SHARE=1 HTTP_CALLED=1 $(PYTEST) --quiet -o faulthandler_timeout=0 tests/integration/server/test_audience_histories.py
	@HTTP_HISTORIES=10000 HTTP_SEED=1 HTTP_SHARE=.01 HTTP_CALLED=.1 $(PYTEST) --quiet -o faulthandler_timeout=0 tests/integration/server/test_audience_histories.py
	@WORKER_ROUNDS=1000 $(PYTEST) --quiet -o faulthandler_timeout=7200 tests/integration/server/test_daemon.py
	@STREAM_CASES=2000 $(PYTEST) --quiet -o faulthandler_timeout=0 tests/unit/sessions/test_streaming.py
	@REWIND_HISTORIES=1000 $(PYTEST) --quiet -o faulthandler_timeout=0 tests/unit/test_rewound_histories.py
	@ERASURE_HISTORIES=1000 $(PYTEST) --quiet -o faulthandler_timeout=0 tests/unit/governance/test_erased_histories.py
	@DAMAGES=200 $(PYTEST) --quiet -o faulthandler_timeout=0 tests/durability/test_damaged_pages.py
	@REWIND_HISTORIES=2000 REWIND_RACES=100000 $(PYTEST) --quiet -o faulthandler_timeout=0 tests/unit/checkpoints/test_rewind_histories.py \
	  tests/unit/checkpoints/test_hostile_disk.py
	@TELEGRAM_CONVERSATIONS=200 TELEGRAM_KILLS=20 $(PYTEST) --quiet -o faulthandler_timeout=0 tests/integration/channels/test_telegram_histories.py
	@CONTEXT_HISTORIES=10000 $(PYTEST) --quiet -o faulthandler_timeout=0 tests/unit/recall/test_context.py

bench: twins ## Run the short benchmarks and print their tables
	@COLUMNS=$${COLUMNS:-110} $(PY) -m scripts.bench

qmd: ## Install the external command that the tests of the qmd back end run; they are skipped without it
	@scripts/qmd.sh .cache/qmd

mcp: $(DEV) ## Let the real MCP clients judge our server: the Inspector and the conformance scenarios
	@scripts/mcp.sh .cache/mcp
	@$(PYTEST) --quiet tests/integration/mcp

agents: $(DEV) ## Let the real agent programs run with our hooks, against a stand-in for their API
	@scripts/agents.sh .cache/agents $(PY)
	@$(PYTEST) --quiet tests/agents

browser: $(DEV)
	@$(PIP) --editable . --build-constraint constraints.txt --group viewer
	@command -v chromium google-chrome >/dev/null || echo "chromium is not installed: apt install chromium fonts-noto-cjk"

viewer-test: twins browser ## Drive the viewer in a real Chromium over a real worker
	@VIEWER_SCREENS=all $(PY) -m pytest -p no:xdist --quiet tests/viewer

viewer-shots: twins browser ## Take the pictures of the viewer in the docs
	@$(PY) -m scripts.viewer_shots

docs: twins ## Build the documentation into docs/_build/html
	@$(PY) -m sphinx -n -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

fix: $(DEV) ## Format, and fix what the linter can fix
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix .

reference: twins ## Write what is read off the code: settings, commands
	@$(PY) scripts/reference.py

snapshots: twins ## Write down the public surface again: signatures, OpenAPI, MCP, JSON of the commands
	@$(PY) -m scripts.snapshots

picture: $(DEV) ## Draw the picture of the README from the real output of the demo
	@$(PY) scripts/picture.py

constraints: $(DEV) ## Choose the newest versions again and write constraints.txt
	@$(PY) scripts/constraints.py

clean: ## Remove what the other targets made, the virtual environment too
	rm -rf $(VENV) .cache build dist docs/_build htmlcov .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(RUN): pyproject.toml constraints.txt scripts/venv.sh
	@scripts/venv.sh $(VENV)
	@echo "Installing recollect into $(VENV) ..."
	@$(PIP) "pip>=25.3"
	@$(PIP) --build-constraint constraints.txt --editable ".[local]"
	@touch $(RUN)

$(DEV): $(RUN)
	@echo "Installing the tools for tests and docs ..."
	@$(PIP) --editable ".[all]" --build-constraint constraints.txt --group dev --group docs
	@command -v tmux >/dev/null || echo "tmux is not installed, its tests are skipped: apt install tmux"
	@touch $(DEV)
