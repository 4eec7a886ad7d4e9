# maldonne: `make` alone lists the targets.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# mosquitto, a browser and (for tests) PostgreSQL are Debian packages; they are installed when absent and allowed.
DEBIAN_PACKAGES := mosquitto chromium chromium-driver fonts-dejavu-core postgresql

.DEFAULT_GOAL := help
.PHONY: bench-vision train help setup system-packages demo test lint format bench noise noise-plot bench-camera schemas screenshots lock test-faults test-system clean

help: ## list the targets
	@grep -hE '^[a-z][a-z-]*:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-16s %s\n", $$1, $$2}'

setup: $(STAMP) system-packages ## install everything (virtual environment, mosquitto, chromium)

$(STAMP): requirements-lock.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-lock.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

system-packages:
	@if command -v mosquitto >/dev/null 2>&1 || [ -x /usr/sbin/mosquitto ]; then have_mqtt=1; fi; \
	if command -v chromium >/dev/null 2>&1 && command -v chromedriver >/dev/null 2>&1; then have_web=1; fi; \
	if command -v postgres >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then have_sql=1; fi; \
	if [ -z "$$have_mqtt" ] || [ -z "$$have_web" ] || [ -z "$$have_sql" ]; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	    echo "installing $(DEBIAN_PACKAGES)"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(DEBIAN_PACKAGES) >/dev/null; \
	  else \
	    echo "mosquitto, chromium or postgresql is absent; install them with: sudo apt install $(DEBIAN_PACKAGES)"; \
	  fi; \
	fi

demo: setup ## the main job: broker, hub, page, simulated tables (Ctrl-C stops everything)
	$(BIN)/maldonne demo $(DEMO_ARGS)

test: setup lint ## every test (and the linters)
	$(BIN)/python -m pytest -q $(PYTEST_ARGS)

lint: $(STAMP) ## ruff, mypy strict, the arrows between packages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP) ## rewrite the sources in the project's form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup ## the figures of docs/performance.md, as ratios in one run
	$(BIN)/python -m benchmarks

bench-camera: setup ## the camera's figures, into docs/camera.md (HANDS, REAL_HANDS, SEQUENCES; about 35 minutes)
	$(BIN)/python -m benchmarks.camera_watch --write
	$(BIN)/python -m benchmarks.vision_events --sequences $(or $(SEQUENCES),20) --write
	$(BIN)/python -m benchmarks.vision_stack --hands $(or $(HANDS),6) --write
	$(BIN)/python -m benchmarks.vision_stack --hands $(or $(REAL_HANDS),1) --finder real --write

bench-vision: setup ## what the eyes read in stills, against docs/vision.md
	$(BIN)/python -m benchmarks.vision_stills

TRAIN_ARGS ?=
train: $(STAMP) ## train the networks of vision/models (npm, librsvg2-bin, about two hours)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[train]'
	nice -n 19 $(BIN)/python -m vision.training $(TRAIN_ARGS)

noise: setup ## 2,000 hands under sensor noise, slips and neglect, scored against the truth
	$(BIN)/python -m benchmarks.noise_campaign $(NOISE_ARGS)

noise-plot: setup ## miss rate against wrong, asked and held hands, into docs/
	$(BIN)/python -m benchmarks.noise_campaign --hands 200 --plot docs

schemas: $(STAMP) ## write the JSON Schemas and the AsyncAPI document again
	$(BIN)/python -m maldonne.schemas

screenshots: setup ## take the pictures of the documentation again
	$(BIN)/python docs/screenshots.py
	$(BIN)/python docs/screenshots_floor.py

lock: ## write requirements-lock.txt again (needs uv)
	uv export --quiet --no-header --no-annotate --no-emit-project --extra test --extra bench --format requirements-txt -o requirements-lock.txt
	rm -f uv.lock

test-faults: setup ## long campaigns with injected faults (about 40 minutes)
	$(BIN)/python -m pytest -q -m faults --timeout 2400 tests

test-system: setup ## whole-stack tests at full size (about 40 minutes)
	MALDONNE_FULL=1 $(BIN)/python -m pytest -q --timeout 2400 tests/system

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
