# make demo    install AgBench and compare nitrogen policies on real weather
# make test    install what the tests need and run them
# make docs    build the documentation site in build/site
# make lint    ruff, mypy and the order of imports
# make setup-il, make setup-offline    what imitation and offline learning need, beside what the tests do
# Each makes its own virtual environment, from nothing but Python 3.11 to 3.13.

PYTHON ?= python3
TASK := wheat-nitrogen-v1
POLICIES := zero random standard-practice advisor ceres
DEMO := .venv/demo
TEST := .venv/test
DOCS := .venv/docs
PIP_FLAGS := --quiet --disable-pip-version-check --no-compile --constraint constraints.txt

# Python keeps what it compiled, so that many processes do not compile it again, and pip need not compile everything.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-slow docs lint bench setup-il setup-offline clean

demo: $(DEMO)/installed
	@for policy in $(POLICIES); do \
		$(DEMO)/bin/agbench evaluate $(TASK) --policy $$policy -o runs/demo/$$policy > runs/demo.log || \
		{ cat runs/demo.log; exit 1; }; done
	@$(DEMO)/bin/agbench compare runs/demo --figure runs/demo/policies.png
	@$(DEMO)/bin/agbench run $(TASK) --policy ceres --scenario netherlands/1984 -o runs/demo/episode.png | tail -2

test: $(TEST)/installed
	$(TEST)/bin/python -m pytest -m "not slow" -n 2 --dist loadfile --no-loadscope-reorder

test-slow: $(TEST)/installed
	$(TEST)/bin/python -m pytest -m slow

docs: $(DOCS)/installed
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --quiet
	@echo "build/site/index.html"

lint: $(TEST)/installed
	$(TEST)/bin/ruff check .
	$(TEST)/bin/ruff format --check .
	$(TEST)/bin/mypy
	$(TEST)/bin/lint-imports

setup-il setup-offline: setup-%: $(TEST)/installed
	$(TEST)/bin/agbench setup $*

bench: $(DEMO)/installed
	$(DEMO)/bin/agbench bench

$(DEMO)/installed: pyproject.toml constraints.txt
	$(call install,$(DEMO),.)

$(TEST)/installed: pyproject.toml constraints.txt
	$(call install,$(TEST),.[test$(comma)lint])

# The site is made from the text of pages and docstrings: AgBench itself is not installed.
$(DOCS)/installed: pyproject.toml constraints.txt
	@$(PYTHON) -m venv $(DOCS)
	@$(DOCS)/bin/python -c 'import tomllib; \
		print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"], sep="\n")' \
		> $(DOCS)/requirements.txt
	@$(DOCS)/bin/pip install $(PIP_FLAGS) --requirement $(DOCS)/requirements.txt
	@touch $(DOCS)/installed

clean:
	rm -rf .venv build dist runs .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

comma := ,
define install
@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if (3, 11) <= v < (3, 14) else \
	f"AgBench needs Python 3.11 to 3.13; {sys.executable} is {v[0]}.{v[1]}. Try: make PYTHON=python3.12")'
@echo "installing into $(1) (once) ..."
@$(PYTHON) -m venv $(1)
@$(1)/bin/pip install $(PIP_FLAGS) --editable "$(2)"
@mkdir -p runs
@touch $(1)/installed
endef
