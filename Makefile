# Each target sets up what it needs on a fresh machine, and is quick the second time.
PYTHON ?= python3
BIN := .venv/bin
# Many tests start a process: each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
# Not compiled: most of what the hosts bring is never imported.
PACKAGES := $(addprefix -e packages/mulligan-,dashboard dates gateway packs replay testing) -e examples/demo
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt

.PHONY: setup demo test test-all check bench fast-fuzz docs site hosts extras packages campaigns release-check sbom clean

setup: .venv/.base                       ## the library and its command line, in .venv

.venv/.python:
	$(PYTHON) -m venv .venv
	touch $@

# The build tool comes first and once, rather than into an environment of its own for each package.
.venv/.build: .venv/.python $(wildcard packages/*/pyproject.toml) constraints.txt
	$(INSTALL) 'hatchling>=1.27,<2' 'editables>=0.5,<1'
	touch $@

.venv/.base: .venv/.build
	$(INSTALL) --no-build-isolation -e packages/mulligan -e packages/mulligan-dates
	touch $@

.venv/.test: .venv/.build
	$(INSTALL) --no-build-isolation -e 'packages/mulligan[test]' $(PACKAGES)
	touch $@

# Pages are tried in a real browser: the system's own, else Debian's, else the one that Playwright brings.
.venv/.browser: .venv/.test
	command -v chromium || command -v chromium-browser || command -v google-chrome \
	  || (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium) \
	  || $(BIN)/playwright install --with-deps chromium
	touch $@

# Mails are tried on a real IMAP server. Without one their tests are skipped, and say so.
.venv/.mail: .venv/.test
	command -v dovecot || test -x /usr/sbin/dovecot \
	  || (apt-get update -qq && apt-get install -y -qq --no-install-recommends dovecot-imapd) \
	  || echo "no dovecot: the tests of the mail pack are skipped"
	touch $@

.venv/.demo: .venv/.build
	$(INSTALL) --no-build-isolation -e packages/mulligan $(PACKAGES)
	touch $@

demo: .venv/.demo                        ## the story in the terminal: no key, no Docker
	$(BIN)/mulligan demo

check: .venv/.test                       ## style, types and floors
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# SEED=7 repeats an order of the tests. By hand each run draws a new one, and says which; that of CI
# is always the same, so that what failed there can be repeated.
SEED ?= $(if $(CI),20261119)
PYTEST := $(BIN)/python -m pytest $(if $(SEED),--randomly-seed $(SEED))

test: check                              ## the checks, and every test that needs no server, browser or framework
	$(PYTEST) -m "not full"

# One worker more than the first tier has: these wait for servers and other processes.
test-all: .venv/.test .venv/.browser .venv/.mail  ## what `make test` leaves out: servers, browsers, hosts, copies, campaigns
	$(PYTEST) -m full -n 4

bench: .venv/.test                       ## every suite, and docs/benchmarks.md: hours. BENCH="--quick" for minutes, "--only years" for some
	$(BIN)/python -m bench all $(BENCH)

fast-fuzz: .venv/.test                   ## the compiled part under the sanitizers, VALUES=100000 random values
	$(BIN)/python -m bench.compiled.equality --sanitized $(if $(VALUES),--values $(VALUES))

docs: .venv/.test                        ## write the generated pages anew
	$(BIN)/python -m bench.reference cli > docs/cli.md
	$(BIN)/python -m bench.reference settings > docs/settings.md
	$(BIN)/python -m bench.reference tool_settings > docs/tool_settings.md

site: .venv-site/.ready                  ## the pages as a site in build/site; it loads nothing from elsewhere
	NO_MKDOCS_2_WARNING=1 .venv-site/bin/mkdocs build --quiet --config-file site/mkdocs.yml

.venv-site/.ready:
	$(PYTHON) -m venv .venv-site
	.venv-site/bin/python -m pip install --quiet --disable-pip-version-check packages/mulligan-dates 'packages/mulligan[site]'
	touch $@

hosts: .venv/.test                       ## each host at its newest release and its floor: long. HOST=strands VERSION=floor for one
	$(BIN)/python -m bench.hosts.environments $(if $(HOST),--host $(HOST)) $(if $(VERSION),--version $(VERSION))

extras: .venv/.test                      ## the wheel without extras, and with each alone, in fresh environments: long. EXTRA=strands for one
	$(BIN)/python -m bench.hosts.extras $(if $(EXTRA),--extra $(EXTRA))

packages: .venv/.test                    ## each package's tests on its own wheel, in fresh environments: long. PACKAGE=mulligan-dates for one
	$(BIN)/python -m bench.hosts.packages $(if $(PACKAGE),--package $(PACKAGE))

campaigns: .venv/.test                   ## kills, random schemas, remotes that err, every state of the journal: hours
	$(BIN)/python -m bench explore
	$(BIN)/python -m bench crash --store both
	$(BIN)/python -m bench sql
	$(BIN)/python -m bench effects

release-check: .venv/.test               ## every package built, its metadata checked, used on each Python with newest and oldest dependencies: minutes
	$(BIN)/python -m bench.hosts.release

sbom: .venv/.test                        ## what a release brings, with versions and licences, as CycloneDX: build/sbom.json
	$(BIN)/python -m bench.hosts.release --only parts

clean:
	rm -rf .venv .venv-peers .venv-environments .venv-hosts .venv-site build
