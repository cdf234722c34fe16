# The tasks of this repository. Needs Go, git and GNU make; anything else is installed, or named
# with the command that installs it.

TOOL := go tool -modfile=.ci/tools.mod

# Without Gin's MessagePack, and without pgx's types for statements that are not prepared, which no pool sends: a program
# without them is a sixth smaller, and builds faster. With trimmed paths the build cache serves every clone and worktree.
TAGS := nomsgpack,nopgxregisterdefaulttypes
export GOFLAGS := $(strip $(GOFLAGS) -tags=$(TAGS) -trimpath)

# The packages without a database whose code shares memory between goroutines: make race tests them with
# the race detector, make ci-full tests all.
CONCURRENT = $(patsubst %/,./%,$(sort $(dir $(shell grep -rlE --include='*.go' --exclude='*_test.go' '"sync|/sync/|go func' \
	adapters/documents adapters/httpapi application ports))))

# The PostgreSQL that each test process used; `go test` hides the output of a passing package.
SERVERS := $(CURDIR)/.bin/test-servers

# go test, with one server, one template database and one built program for all packages. make lint
# vets. Fewer collections of garbage save a tenth of the CPU time of linking and testing, and programs
# without debug information a fifth of that of linking. One package more than there are processors runs
# at once, because tests wait for databases, locks and times; with two for each processor, connections of
# a busy machine time out.
AT_ONCE := $(shell expr 1 + $$(getconf _NPROCESSORS_ONLN))
GO_TEST = go test -vet=off -ldflags='-w -s'
TEST = mkdir -p .bin && rm -f $(SERVERS) && KONTOR_TEST_SERVERS=$(SERVERS) GOGC=400 go run ./test/testrun $(GO_TEST)

# The folders of packages without a database, and all others. Go has the results of unchanged packages
# in its cache, unless their tests are shuffled, which make race does.
folders = $(patsubst %/,%,$(wildcard $(1)))
PURE := domain ports $(filter-out application/command adapters/doctor adapters/localpg adapters/postgres,$(call folders,application/*/ adapters/*/))
OTHERS := application/command adapters/doctor adapters/localpg adapters/postgres $(filter-out adapters application deploy domain ports,$(call folders,*/))

# The packages with the longest tests, which begin first.
LONGEST := ./test/api ./adapters/postgres/pgread ./cmd/program

.DEFAULT_GOAL := help
.PHONY: go help run build image release test test-citus companies-on-citus stores-on-citus api-on-citus packages-on-citus race chaos fuzz mutate ci-full verify verify-code clauses docs lint lint-code vuln bench bench-data replay clean postgres database

# Before anything else is done, or installed.
build test race chaos test-citus fuzz mutate verify-code clauses docs lint-code vuln bench bench-data replay: go

go:
	@.ci/require go

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: go database build ## serve with demo data; without KONTOR_DATABASE_URL on a private PostgreSQL
	@.bin/kontor serve --demo

build: ## the release build, as .bin/kontor
	@[ -x .bin/kontor ] || .ci/step 'Downloading libraries' go list -deps ./cmd/kontor
	@.ci/step "Compiling Kontor$$([ -x .bin/kontor ] || echo ', which takes minutes the first time')" .ci/build .bin/kontor

image: ## the program in an image, kontor:latest and kontor:VERSION
	@.ci/require go git docker
	@.ci/image

release: ## archives for Linux and macOS with SBOMs and checksums, in .bin/release, and the image: make release VERSION=v1.0.0
	@.ci/require go git docker
	@.ci/release "$(VERSION)" .bin/release
	@VERSION="$(VERSION)" .ci/image $(IMAGE)

test: postgres ## all tests but those of make ci-full
	GOGC=400 $(GO_TEST) -p $(AT_ONCE) $(PURE:%=./%/...)
	$(TEST) -p $(AT_ONCE) -shuffle=on -timeout 15m $(LONGEST) $(OTHERS:%=./%/...)
	@[ ! -f $(SERVERS) ] || sort $(SERVERS) | uniq -c

race: $(if $(PACKAGES),postgres) ## tests with the race detector, which needs a C compiler: make race PACKAGES=./...
	@.ci/require cc
	$(if $(PACKAGES),$(TEST),GOGC=400 $(GO_TEST)) -p $(AT_ONCE) -shuffle=on -timeout 30m -race $(or $(PACKAGES),$(CONCURRENT))

chaos: postgres ## kill, disconnect, restart and promote the service and its databases, under load for minutes
	$(TEST) -count=1 -tags full,$(TAGS) -timeout 60m -v ./test/chaos

# On Citus, with the tables of companies on the workers in turns.
STORES_ON_CITUS := ./adapters/postgres/pgread ./adapters/postgres/pgsummary ./adapters/postgres/pgstore

# The parts run at once, because tests wait for the clusters.
test-citus: postgres ## companies, lists and the API on Citus, with tables on both workers; skipped without Citus: make test-citus PACKAGES=./test/api
	$(MAKE) --jobs=3 --keep-going --output-sync=target $(if $(PACKAGES),packages-on-citus,companies-on-citus stores-on-citus api-on-citus)

companies-on-citus:
	go test -count=1 -tags full,$(TAGS) -vet=off -timeout 40m ./test/citus

stores-on-citus: ON_CITUS := $(STORES_ON_CITUS)
api-on-citus: ON_CITUS := ./test/api
packages-on-citus: ON_CITUS := $(PACKAGES)
api-on-citus packages-on-citus: export KONTOR_TEST_COMPANY = 1
stores-on-citus api-on-citus packages-on-citus: SERVERS = $(CURDIR)/.bin/test-servers-$@
stores-on-citus api-on-citus packages-on-citus:
	export KONTOR_TEST_CITUS=1; $(TEST) -count=1 -parallel 2 -timeout 40m $(ON_CITUS)
	@[ ! -f $(SERVERS) ] || sort $(SERVERS) | uniq -c

fuzz: ## every parser, FUZZTIME each (60s)
	@.ci/fuzz $(or $(FUZZTIME),60s)

mutate: ## mutation testing: make mutate IN=domain/money THRESHOLD=95
	@.ci/mutate $(or $(IN),domain) $(or $(THRESHOLD),90)

ci-full: ## the long checks: browser, a generated client, images, releases, races, chaos, fuzzing, mutation; on Debian, as root
	@.ci/full

verify: verify-code ## regenerate and compare: go.mod, wire, gofmt, docs; every clause has a test, every break a line in CHANGELOG.md
	go mod verify
	go test ./test/traceability ./test/compatibility
	go test -run 'UpToDate$$' ./adapters/postgres/pgread
	go test -run 'UpToDate$$' ./test/api

verify-code: # make verify without its tests, which make test has too, and the module cache
	go mod tidy -diff
	go mod tidy -C test/extension -diff
	$(TOOL) wire diff ./cmd/bootstrap
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not gofmt'ed:" $$unformatted; exit 1; }

clauses: go ## each clause of the API contract with the tests that cite it
	@go run ./test/traceability

docs: ## regenerate docs/openapi*, the catalogue in docs/rules.md, the table in docs/performance.md
	go test -count=1 -run 'UpToDate$$' ./test/api -update
	go test -count=1 -run 'UpToDate$$' ./adapters/postgres/pgread -update
	go test -count=1 -run 'UpToDate$$' ./adapters/expression -update

lint: lint-code ## golangci-lint, and test/architecture: imports through other packages, SQL
	go test ./test/architecture

lint-code: # make lint without its tests, which make test has too; the long tests have the tag full
	$(TOOL) golangci-lint run --build-tags full,$(TAGS)
	cd test/extension && go tool -modfile=../../.ci/tools.mod golangci-lint run

vuln: ## known vulnerabilities in the called code; reports if their database cannot be reached
	@.ci/vulnerabilities

bench: postgres build ## requests per second and latencies, also of two programs: make bench DATA=postgres://... FLAGS='-b old/kontor -data-b postgres://...'
	@go build -o .bin/load ./test/bench/load
	$(if $(DATA),,@[ -d .bin/bench-10k ] || go run ./test/bench/data/cmd/bench-data -clients 10000 -folder .bin/bench-10k)
	.bin/load -a .bin/kontor -data-a '$(or $(DATA),.bin/bench-10k)' $(FLAGS)

bench-data: postgres ## fill a database for make bench: make bench-data CLIENTS=1000000 SEED=2 DATABASE=postgres://... or FOLDER=path
	go run ./test/bench/data/cmd/bench-data $(if $(CLIENTS),-clients "$(CLIENTS)") \
		$(if $(SEED),-seed "$(SEED)") $(if $(DATABASE),-database "$(DATABASE)") $(if $(FOLDER),-folder "$(FOLDER)")

replay: postgres ## send a year of real invoices through the service and compare the totals: make replay FILE=path
	@[ -n "$(FILE)" ] || { echo 'make replay FILE=path/to/online_retail.csv.gz'; exit 2; }
	KONTOR_REPLAY_FILE="$(abspath $(FILE))" go test -count=1 -tags full,$(TAGS) -vet=off -timeout 2h -v -run TestReplay ./test/api

clean: ## remove generated files
	rm -rf .bin

postgres:
	@.ci/ensure-postgres

database:
	@[ -n "$$KONTOR_DATABASE_URL" ] || .ci/ensure-postgres
