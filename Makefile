# Two commands do all: `make demo` and `make test`; `make docs` writes the site. None needs root, a browser or anything but a package index.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1
unexport PYTHONDONTWRITEBYTECODE # the tests start hundreds of processes: without compiled modules each compiles helio again

.PHONY: demo test quick long docs clean

demo: $(VENV)/.installed ## set up, then draw ground-level event 73 from the embedded sample archive
	@$(BIN)/helio doctor --fix --yes --quick || echo "The demo goes on without a browser."
	@status=0; $(BIN)/helio run gle73-particles --archive sample --output helio-runs/demo --format html,png || status=$$?; \
	if [ $$status -eq 3 ]; then echo "The HTML figure is complete; a PNG needs a browser, as said above."; status=0; fi; exit $$status

test: $(VENV)/.installed-dev ## set up, then check style, types and behaviour
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 4 --dist worksteal

docs: $(VENV)/.installed-docs ## set up, then write the documentation to build/docs/html, without network
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --nitpicky docs build/docs/html
	$(BIN)/python scripts/check_site_links.py build/docs/html

quick: $(VENV)/.installed-dev ## style, types, and the tests that start no process, server or browser and are not slow
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist worksteal -m "not (process or server or browser or slow)" tests

long: $(VENV)/.installed-dev $(VENV)/.installed-notebooks ## the property tests, with many more examples than `make test` tries, and the notebooks in Jupyter
	HELIO_LONG=1 $(BIN)/pytest -n 2 $$(grep -rlE "^@given|^@LAW|EXAMPLES|laws import LONG|nbclient" tests)

$(VENV)/.installed: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

$(VENV)/.installed-notebooks: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[notebooks]'
	touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) helio-runs dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis docs/reference
