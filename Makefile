# Two commands: `make run` starts Tourney, `make test` runs its tests. Both work on a bare machine with Python 3.11+.
#
#   make setup     what both need: environment, packages, CSS and JS, translations
#   make run       the program with a demo event; ARGS="--port 8100" and so on (see manage.py serve --help)
#   make test      all tests; ARGS="-k bracket" and so on
#   make quick     the tests that need neither a browser nor long, and those of changed files: while one works
#   make check     format, lint, types, import contracts, migrations, translations, shared cases
#   make format    put the source into shape
#   make lock      write the hashes of all packages anew after a list of requirements was changed (needs uv)
#   make translations   bring new strings into the catalogues (needs gettext), then translate what is empty there
#   make clean     remove what was built (not the data in var/)

# `make -f "/some where/Makefile" run` from another folder: go there first. Names with blanks rule out $(dir …).
HERE := $(shell f="$$(printf '%s' '$(MAKEFILE_LIST)' | sed 's/^ //')"; cd "$$(dirname "$$f")" && pwd)

ifneq ($(HERE),$(CURDIR))

.PHONY: all setup run test quick check format lock translations clean
all setup run test quick check format lock translations clean:
	@$(MAKE) --no-print-directory -C "$(HERE)" $@

else

# The first Python that is new enough.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
VENV_PYTHON := .venv/bin/python
WORKERS ?= 2

# Tests start many programs: what Python made of the sources is kept, or each of them would do it again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: all setup setup-dev run test quick check format lock translations clean
all: run

setup:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed" >&2; exit 1; }
	@$(PYTHON) -m tourney.laptop.setup

setup-dev:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed" >&2; exit 1; }
	@$(PYTHON) -m tourney.laptop.setup --dev

run: setup
	@exec $(VENV_PYTHON) manage.py serve $(ARGS)

test: setup-dev
	@$(VENV_PYTHON) -m tourney.testing.browser
	@$(VENV_PYTHON) -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

quick: setup-dev
	@$(VENV_PYTHON) -m pytest -n $(WORKERS) --dist worksteal --quick $(ARGS)

check: setup-dev
	@$(VENV_PYTHON) -m tourney.testing.checks $(ARGS)

format: setup-dev
	@$(VENV_PYTHON) -m ruff format .
	@$(VENV_PYTHON) -m ruff check --fix .

lock:
	@$(PYTHON) -m tourney.laptop.locks

translations: setup-dev
	@$(VENV_PYTHON) manage.py compile_translations --collect

clean:
	@rm -rf .venv node_modules static/vendor staticfiles .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	@find tourney/locale -name '*.mo' -delete 2>/dev/null || true

endif
