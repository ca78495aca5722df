# The two commands are make reproduce and make test. Each makes the environment that it needs: results need the packages
# of requirements.lock, and tests, checks and documents those of requirements-test.lock besides.

# The Python that makes the environment: the system's own where it fits, for what others build is often slower
# (docs/performance.md), and else the first on the path that fits. make PYTHON=... takes another.
KNOWN := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
FITS := import ensurepip, venv; $(KNOWN)
PYTHONS := /usr/bin/python3 python3 python3.13 python3.12 python3.11
ifeq ($(strip $(PYTHON)),)
override PYTHON = $(or $(shell for each in $(PYTHONS); do $$each -c '$(FITS)' > /dev/null 2>&1 && echo $$each && break; done),python3)
endif
UV ?= uv
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
CLUSTER := $(VENV)/.cluster
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# PROFILE=slurm runs on a cluster: docs/cluster.md.
ON := $(if $(PROFILE),--profile workflow/profiles/$(PROFILE))
COMPILE := $(UV) pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --no-header --no-annotate --quiet
WRITTEN := $(addprefix paper/,claims.tex errata.tex figures.tex facts.tex data.json replication.ipynb replication.html report.pdf index.html explorer.html)

.PHONY: help reproduce plan bundle paper smoke test evidence test-bare test-slurm fuzz lint bench power docs site deployment wheel lock clean

help:
	@echo "make reproduce   from the hospital reports to all results in paper/ (seven to twenty-five minutes; a second time, seconds)"
	@echo "make plan        what make reproduce would do now, and why; nothing is run"
	@echo "make bundle      the last run as one zip for an archive, described as an RO-Crate"
	@echo "make test        run the tests but for the longer ones (two to three minutes on two cores)"
	@echo "make evidence    run the longer ones: of whole runs, of pages in a browser, of every check (two minutes)"
	@echo "make test-bare   the two commands on a Debian that has nothing else (an hour; needs mmdebstrap)"
	@echo "make test-slurm  run the study in small on a Slurm of this machine, disturb it, and compare every byte (needs Debian)"
	@echo "make fuzz        try thousands of damaged files and reports on everything that reads one"
	@echo "make smoke       the whole study in small (one to three minutes)"
	@echo "make paper       typeset the results as paper/report.pdf (needs pdflatex and bibtex)"
	@echo "make lint        check format, style, types and the workflow"
	@echo "make power       measure the smallest defect that each claim's check catches (half an hour or more)"
	@echo "make bench       measure speed, as ratios of two programs run side by side"
	@echo "make docs        renew the tables in docs/, codemeta.json, .zenodo.json, what tutorials print; build the site"
	@echo "make site        build the documentation site into build/site (half a minute)"
	@echo "make deployment  start a deployment in miniature: examples/hospitals/README.md"
	@echo "make wheel       build the package that pip installs, into dist/"
	@echo "make lock        renew the three lock files (needs uv)"
	@echo "make clean       remove everything generated, but not downloads"

# An environment that works is kept, whichever of these Pythons made it.
$(READY): requirements.lock pyproject.toml
	@{ $(BIN)/python -c '$(KNOWN)' && $(BIN)/python -m pip --version; } > /dev/null 2>&1 || { \
	  $(PYTHON) -c 'import sys; ok = (3, 11) <= sys.version_info < (3, 14); sys.exit(None if ok else \
	    "private-experts needs Python 3.11 to 3.13, and $(PYTHON) is " + sys.version.split()[0] + ": make PYTHON=python3.12")' && \
	  echo "Making $(VENV) with $(PYTHON); to change that, delete it and name another one: make PYTHON=python3.12" && \
	  $(PYTHON) -m venv --clear $(VENV); }
	@echo "Installing the locked packages into $(VENV) (once, one to two minutes) ..."
	@$(INSTALL) --require-hashes -r requirements.lock
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(TOOLS): requirements-test.lock $(READY)
	@echo "Installing the locked packages of tests, checks and documents into $(VENV) (once, about a minute) ..."
	@$(INSTALL) --require-hashes -r requirements-test.lock
	@touch $@

$(CLUSTER): requirements-cluster.lock $(READY)
	@echo "Installing what Snakemake needs for a cluster into $(VENV) (once, seconds) ..."
	@$(INSTALL) --require-hashes -r requirements-cluster.lock
	@touch $@

reproduce: $(READY) $(if $(PROFILE),$(CLUSTER))
	@$(BIN)/python -m private_experts.replication.run.reproduce $(ON)

plan: $(READY)
	@$(BIN)/private-experts plan

bundle: $(READY)
	@$(BIN)/private-experts bundle

paper: $(READY)
	@$(BIN)/python -m private_experts.replication.run.typeset

smoke: $(READY) $(if $(PROFILE),$(CLUSTER))
	@$(BIN)/python -m private_experts.replication.run.reproduce --results results/smoke --configfile config/smoke.yaml $(ON)

# What runs the study (with all that looks at its rules), or drives a browser, or runs every check. All else is the suite
# that one waits for. With LONGER empty make test leaves nothing out, as in CI.
LONGER := tests/evidence tests/workflow \
  tests/replication/claims/page/test_browser.py tests/replication/claims/page/test_firefox.py \
  tests/replication/explorer/test_browser.py
# Asserts are Python's own at first: to rewrite those of a fresh clone takes each process eight seconds. What failed (exit
# code 1) runs again, so that its values are shown; the first run decides.
define RUN_TESTS
$(BIN)/python -m pytest $(1) -n auto --dist loadfile --no-loadscope-reorder --assert=plain || { \
  if [ $$? -eq 1 ]; then \
    echo "The first of these failures once more, with values; whatever comes of it, the tests have failed:"; \
    $(BIN)/python -m pytest $(1) --last-failed --last-failed-no-failures=none --maxfail=20; \
  fi; exit 1; }
endef

test: $(TOOLS)
	@$(call RUN_TESTS,$(addprefix --ignore=,$(LONGER)))

evidence: $(TOOLS)
	@$(call RUN_TESTS,$(LONGER))

test-bare:
	@$(PYTHON) -m tests.bare $(BARE)

test-slurm: $(TOOLS) $(CLUSTER)
	@$(BIN)/python -m tests.cluster $(SMALL)

fuzz: $(TOOLS)
	@$(BIN)/python -m pytest tests/fuzz tests/examples/hospitals/test_fuzz.py --hypothesis-profile=fuzz -n auto

lint: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow/Snakefile workflow/rules
	$(BIN)/snakemake --lint

bench: $(TOOLS)
	@$(BIN)/python -m benchmarks

power: $(TOOLS)
	@$(BIN)/python -m tests.power $(CLAIMS)

docs: $(TOOLS)
	@$(BIN)/private-experts metadata
	@$(BIN)/python docs/tables.py
	@$(BIN)/python docs/site/tutorials.py
	@$(BIN)/python docs/site/build.py

site: $(TOOLS)
	@$(BIN)/python docs/site/build.py

deployment: $(TOOLS)
	@$(BIN)/python -m examples.hospitals start

wheel: $(READY)
	@rm -rf build/lib build/bdist.* dist
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation -w dist .
	@rm -rf build/lib build/bdist.*
	@ls dist/*.whl

lock:
	$(COMPILE) --extra workflow --output-file requirements.lock
	@sum=$$(sha256sum requirements.lock | cut -d' ' -f1); sed -i "s/^lock=.*/lock=$$sum/" environment.post-deploy.sh
	$(COMPILE) --extra workflow --extra cluster --constraint requirements.lock --output-file requirements-cluster.lock
	$(COMPILE) --all-extras --constraint requirements.lock --output-file requirements-test.lock

clean:
	rm -rf .snakemake build/site build/site-cache docs/reference paper/figures paper/tables paper/claims.csv paper/claims.md $(WRITTEN) $(filter-out results/README.md,$(wildcard results/*))
