# The two commands are make reproduce and make test. Each makes the environment that it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WRITTEN := $(addprefix paper/,claims.tex errata.tex figures.tex facts.tex replication.ipynb replication.html report.pdf index.html)

.PHONY: help reproduce plan paper smoke test lint bench docs lock clean

help:
	@echo "make reproduce   from the hospital reports to all results in paper/ (ten to twenty minutes; a second time, seconds)"
	@echo "make plan        what make reproduce would do now, why, and for how long; nothing is run"
	@echo "make test        run the tests"
	@echo "make smoke       the whole study in small (two to six minutes)"
	@echo "make paper       typeset the results as paper/report.pdf (needs pdflatex and bibtex)"
	@echo "make lint        check format, style, types and the workflow"
	@echo "make bench       measure speed, as ratios of two programs run side by side"
	@echo "make docs        renew the tables in docs/ from claims/, the library and the last run"
	@echo "make lock        renew requirements.lock (needs uv)"
	@echo "make clean       remove everything generated, but not downloads"

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; ok = (3, 11) <= sys.version_info < (3, 14); sys.exit(None if ok else \
	  "private-experts needs Python 3.11 to 3.13, and $(PYTHON) is " + sys.version.split()[0] + ": make PYTHON=python3.12")'
	@echo "Installing the locked packages into $(VENV) (once, one to two minutes) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

reproduce: $(READY)
	@$(BIN)/python -m private_experts.replication.run.reproduce

plan: $(READY)
	@$(BIN)/private-experts plan

paper: $(READY)
	@$(BIN)/python -m private_experts.replication.run.typeset

smoke: $(READY)
	@$(BIN)/python -m private_experts.replication.run.reproduce --results results/smoke --configfile config/smoke.yaml

test: $(READY)
	@$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/snakemake --lint

bench: $(READY)
	@$(BIN)/python -m benchmarks

docs: $(READY)
	@$(BIN)/python docs/tables.py

lock:
	uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header --no-annotate --quiet --output-file requirements.lock

clean:
	rm -rf .snakemake paper/figures paper/tables paper/claims.csv paper/claims.md $(WRITTEN) $(filter-out results/README.md,$(wildcard results/*))
