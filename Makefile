# The two commands are make reproduce and make test. Each makes the environment that it needs: results need the packages
# of requirements.lock; tests, checks and documents also those of requirements-test.lock.

# The Python that makes the environment: the system's own if its version fits, which is often the fastest
# (docs/performance.md), otherwise the first on the path that fits. make PYTHON=... takes another.
KNOWN := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
FITS := import ensurepip, venv; $(KNOWN)
# With -P nothing of this folder, as somebody's random.py, takes the place of a module; Python has it from 3.11 on.
PYTHONS := /usr/bin/python3 python3 python3.13 python3.12 python3.11
ifeq ($(strip $(PYTHON)),)
override PYTHON = $(or $(shell for each in $(PYTHONS); do $$each -P -c '$(FITS)' > /dev/null 2>&1 && echo $$each && break; done),python3)
endif
UV ?= uv
VENV := .venv
BIN := $(VENV)/bin
# Whether this folder was copied or moved with its environment, whose commands then run the code where it was.
COMMANDS_OF := sed -n '1,2s|^[^/]*\(/.*\)/bin/python.*|\1|p' $(BIN)/pip
MOVED := $(shell [ ! -e $(BIN)/pip ] || [ "$$($(COMMANDS_OF))" -ef $(VENV) ] || echo $(VENV)/.moved)
# A profile of your own counts for snakemake alone: it may leave out what is stale.
unexport SNAKEMAKE_PROFILE
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
CLUSTER := $(VENV)/.cluster
# Where packages go, and in which versions, is not for the user's own settings of pip to say; how they are reached is.
# Quiet twice: what pip warns of in those settings would hide the first lines of a run; errors are still shown.
INSTALL := env $(patsubst %,-u PIP_%,ROOT PREFIX CONSTRAINT REQUIRE_HASHES DRY_RUN PYTHON) $(BIN)/python -P -m pip install \
  --quiet --quiet --disable-pip-version-check --no-user --target= --no-binary=:none:
# The environment may have variables of these names that mean something else: only those on make's command line count.
$(foreach each,PROFILE DATA CLAIMS PLACES SEED BARE SMALL,$(if $(filter environment,$(origin $(each))),$(eval override $(each) :=)))
# PROFILE=slurm runs on a cluster: docs/cluster.md.
ON := $(if $(PROFILE),--profile profiles/$(PROFILE))
# DATA=healthdata, DATA=synthetic or DATA=/path/to/export.csv takes other data than the repository's: docs/data.md. The shell
# reads it from the environment, so that a path may have any character.
TAKING := $(if $(DATA),--data "$$DATA")
# Not older than what it is made from, whose dates another clock may have set.
MADE = touch $@; for each in $^; do [ ! $$each -nt $@ ] || touch -r $$each $@; done
COMPILE := $(UV) pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --no-header --no-annotate --quiet
WRITTEN := $(addprefix paper/,facts.tex data.json replication.ipynb replication.html report.pdf theorems.pdf index.html explorer.html)

.PHONY: help reproduce plan paper smoke test evidence orders test-slurm seeds fuzz lint bench power mutants docs site wheel lock clean

help:
	@echo "make reproduce   compute all results in paper/ (five to thirty minutes; seconds when nothing changed)"
	@echo "make plan        what make reproduce would do now, and why; nothing is run"
	@echo "make test        run the fast suite (two to ten minutes)"
	@echo "make evidence    run the longer tests (whole runs, pages in a browser, every check, what is published), and make orders"
	@echo "make orders      run the fast suite in five random orders (half an hour)"
	@echo "make test-slurm  run the small study on a local Slurm with failures, and compare every byte (needs Debian)"
	@echo "make seeds       run every check on its small grid with 20 seeds (ten minutes); SEEDS=100 for more"
	@echo "make fuzz        give thousands of damaged files to every reader"
	@echo "make smoke       compute a small version of the study (one to three minutes)"
	@echo "make paper       typeset paper/report.pdf and theorems.pdf (needs pdflatex and bibtex)"
	@echo "make lint        check format, style, types and the workflow"
	@echo "make power       measure the smallest defect that the checks of CLAIMS=002/ catch"
	@echo "make mutants     measure which share of small changes to PLACES=privacy the tests notice (hours for all)"
	@echo "make bench       measure speed, as ratios of two programs run side by side"
	@echo "make docs        update the tables in docs/, the checksums of tables and the tutorials' output; build the site"
	@echo "make site        build the documentation site into build/site (half a minute)"
	@echo "make wheel       build the wheel in dist/"
	@echo "make lock        update the three lock files (needs uv)"
	@echo "make clean       remove everything generated except downloads"

$(VENV)/.moved:
	@echo "$(VENV) runs the code of another folder, from which this one was copied or moved"

# An environment that works is kept, whichever of these Pythons made it.
$(READY): requirements.lock pyproject.toml $(MOVED)
	@{ [ -z "$(MOVED)" ] && $(BIN)/python -c '$(KNOWN)' && $(BIN)/python -P -m pip --version; } > /dev/null 2>&1 || { \
	  $(PYTHON) -c 'import sys; ok = (3, 11) <= sys.version_info < (3, 14); sys.exit(None if ok else \
	    "private-experts needs Python 3.11 to 3.13, and $(PYTHON) is " + sys.version.split()[0] + ": make PYTHON=python3.12")' && \
	  echo "Making $(VENV) with $(PYTHON); to change that, delete it and name another one: make PYTHON=python3.12" && \
	  $(PYTHON) -P -m venv --clear $(VENV); }
	@echo "Installing the locked packages into $(VENV) (once, one to two minutes) ..."
	@$(INSTALL) --require-hashes -r requirements.lock
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@$(MADE)

$(TOOLS): requirements-test.lock $(READY)
	@echo "Installing the locked packages of tests, checks and documents into $(VENV) (once, about a minute) ..."
	@$(INSTALL) --require-hashes -r requirements-test.lock
	@$(MADE)

$(CLUSTER): requirements-cluster.lock $(READY)
	@echo "Installing what Snakemake needs for a cluster into $(VENV) (once, seconds) ..."
	@$(INSTALL) --require-hashes -r requirements-cluster.lock
	@$(MADE)

reproduce: $(READY) $(if $(PROFILE),$(CLUSTER))
	@$(BIN)/python -P -m private_experts.replication.workflow.reproduce $(TAKING) $(ON)

plan: $(READY)
	@$(BIN)/private-experts plan $(TAKING)

paper: $(READY)
	@$(BIN)/python -P -m private_experts.replication.report.typeset

smoke: $(READY) $(if $(PROFILE),$(CLUSTER))
	@$(BIN)/python -P -m private_experts.replication.workflow.reproduce --results results/smoke --configfile config/smoke.yaml $(TAKING) $(ON)

# Tests that run the study or read its rules, drive a browser, run every check, or make what is published: the wheel, its
# environment, the notebook, PDFs, the looks of figures, the documents' programs; and numbers as other processors round them.
# All others are the fast suite. With LONGER empty make test runs all, as in CI.
LONGER := tests/evidence tests/workflow \
  tests/replication/report/page/test_browser.py tests/replication/report/page/test_firefox.py \
  tests/replication/report/explorer/test_browser.py \
  tests/replication/report/test_notebook.py tests/replication/report/test_typeset.py \
  tests/replication/plotting/test_every_figure.py tests/replication/verify/test_kernels.py \
  tests/test_makefile.py tests/test_tutorials.py tests/test_wheel.py tests/test_which.py
# Asserts are plain at first, because rewriting those of a fresh clone takes each process eight seconds. Failed tests (exit
# code 1) run again with values shown; the first run decides.
define RUN_TESTS
$(BIN)/python -m pytest $(1) -n auto --dist loadfile --no-loadscope-reorder --assert=plain || { \
  if [ $$? -eq 1 ]; then \
    echo "Running the first of these failures again to show values; the tests have failed either way:"; \
    $(BIN)/python -m pytest $(1) --last-failed --last-failed-no-failures=none --maxfail=20; \
  fi; exit 1; }
endef

test: $(TOOLS)
	@$(call RUN_TESTS,$(addprefix --ignore=,$(LONGER)))

evidence: $(TOOLS)
	@$(call RUN_TESTS,$(LONGER))
	@$(MAKE) --no-print-directory orders

# No test may lean on another one: the fast suite in five random orders.
orders: $(TOOLS)
	@for seed in $(or $(SEEDS),1 2 3 4 5); do \
	  $(BIN)/python -m pytest $(addprefix --ignore=,$(LONGER)) -n auto --dist loadfile --no-loadscope-reorder --order=$$seed || exit 1; \
	done

test-slurm: $(TOOLS) $(CLUSTER)
	@$(BIN)/python -m tests.cluster $(SMALL)

# A seed decides which way a check takes, and one may end in an error where others do not.
seeds: $(READY)
	@mkdir -p build/seeds; crashed=0; for seed in $$(seq $(or $(SEEDS),20)); do \
	  $(BIN)/private-experts verify --all --quick --seed $$seed > build/seeds/$$seed.txt; \
	  case $$? in 0|3|4|5) ;; *) crashed=1; echo "seed $$seed:"; grep -w crashed build/seeds/$$seed.txt;; esac; \
	done; [ $$crashed -eq 0 ] && echo "no check crashed; what each said is in build/seeds"

fuzz: $(TOOLS)
	@$(BIN)/python -m pytest tests/fuzz tests/examples/hospitals/test_fuzz.py --hypothesis-profile=fuzz -n auto

lint: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python docs/site/tutorials.py build/pages
	$(BIN)/mypy src examples build/pages
	$(BIN)/snakefmt --check Snakefile workflow/Snakefile workflow/rules
	$(BIN)/snakemake --lint

bench: $(TOOLS)
	@$(BIN)/python -m benchmarks

power: $(TOOLS)
	@$(BIN)/python -m tests.power $(CLAIMS)

mutants: $(TOOLS)
	@$(BIN)/python -m tests.sampled_mutants $(PLACES) $(if $(SEED),--seed $(SEED))

docs: $(TOOLS)
	@$(BIN)/python docs/tables.py
	@$(BIN)/python docs/which.py
	@$(BIN)/python docs/site/tutorials.py
	@$(BIN)/python docs/site/build.py

site: $(TOOLS)
	@$(BIN)/python docs/site/build.py

wheel: $(READY)
	@rm -rf build/lib build/bdist.* dist
	@$(BIN)/python -P -m pip wheel --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation -w dist .
	@rm -rf build/lib build/bdist.*
	@ls dist/*.whl

lock:
	$(COMPILE) --extra workflow --output-file requirements.lock
	@sum=$$(sha256sum requirements.lock | cut -d' ' -f1); sed -i "s/^lock=.*/lock=$$sum/" environment.post-deploy.sh
	$(COMPILE) --extra workflow --extra cluster --constraint requirements.lock --output-file requirements-cluster.lock
	$(COMPILE) --all-extras --constraint requirements.lock --output-file requirements-test.lock

clean:
	rm -rf .snakemake build/site build/site-cache docs/reference paper/figures paper/tables paper/claims.csv paper/claims.md $(WRITTEN) $(filter-out results/README.md,$(wildcard results/*))
