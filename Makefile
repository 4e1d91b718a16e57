# make demo   from nothing to private topics and their report
# make test   everything that must hold before a change lands
# make reproduction   the papers' experiments, in full, and docs/reproduction.md
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
PYTHON ?= python3
BUILD = cmake --preset $(1) $(CMAKE_FLAGS) && cmake --build --preset $(1) -j $(JOBS)

.PHONY: demo build test test-slow bench notebooks reproduction lint format install deb wheel \
  test-engines test-wheel fuzz setup clean

demo: setup
	$(call BUILD,release) --target sotto_cli
	scripts/demo.sh build/release/sotto

build: setup
	$(call BUILD,release)

test: setup
	scripts/test.py --jobs $(JOBS)

test-slow: setup
	@scripts/setup.sh browser
	@scripts/setup.sh clang
	scripts/test.py --jobs $(JOBS) --slow

# libFuzzer over everything that reads foreign bytes: make fuzz MINUTES=10 TARGETS=ratings,points, or
# INPUTS=1000000 a target
MINUTES ?= 1
fuzz: setup
	@scripts/setup.sh clang
	scripts/fuzz.py --jobs $(JOBS) --minutes $(MINUTES) $(if $(INPUTS),--inputs $(INPUTS)) \
	  $(if $(TARGETS),--targets $(TARGETS))

bench: setup
	$(call BUILD,release) --target sotto_cli bench_programs
	python3 bench/run.py build/release

# The notebooks, each from the start, in an environment of their own. PACKAGE is where sotto is: the
# tests build it there.
PACKAGE ?= build/release/python
notebooks: setup
	test -x build/venv-notebooks/bin/python || /usr/bin/python3 -m venv build/venv-notebooks
	build/venv-notebooks/bin/pip install -q -r docs/notebooks/requirements.txt
	PYTHONPATH=$(abspath $(PACKAGE)) build/venv-notebooks/bin/python docs/notebooks/run.py

# Fits over Spark and Dask, in an environment of their own. Needs Java.
test-engines: setup
	@scripts/setup.sh java
	test -x build/venv-engines/bin/python || /usr/bin/python3 -m venv build/venv-engines
	build/venv-engines/bin/pip install -q -r python/engine_tests/requirements.txt
	PYTHONPATH=$(abspath $(PACKAGE)) build/venv-engines/bin/python -m pytest -q -p no:cacheprovider \
	  python/engine_tests

# The full experiments (resumed where they stopped), and the document made from them.
reproduction: setup
	$(call BUILD,release) --target sotto_cli
	build/release/sotto reproduce --all --out reproduced
	for study in reproduced/*/; do \
	  mkdir -p docs/reproduction/$$(basename $$study) && \
	  cp $$study/summary.json docs/reproduction/$$(basename $$study)/; done
	build/release/sotto reproduce --document docs/reproduction > docs/reproduction.md

lint: setup
	scripts/lint.py --jobs $(JOBS)

format: setup
	scripts/format.sh

install: setup
	$(call BUILD,release) --target installable
	cmake --install build/release --prefix $(PREFIX)

# A Debian package that runs on any x86-64: build/deb/sotto_*.deb.
deb: setup
	$(call BUILD,deb) --target installable
	cpack --config build/deb/CPackConfig.cmake -B build/deb

# A Python wheel that runs on any x86-64: dist/sotto-*.whl.
wheel: setup
	scripts/wheel.sh $(PYTHON) $(JOBS)

# What `make wheel` has left in dist/, as someone without a compiler would use it.
test-wheel:
	$(PYTHON) tests/package/test_wheel.py dist

setup:
	@scripts/setup.sh

clean:
	rm -rf build demo-out
