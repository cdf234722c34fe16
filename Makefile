# Everything that is done with this repository, by name. Needs Go, git and GNU make; what else
# it takes is installed, or named in one line to type.

TOOL := go tool -modfile=.ci/tools.mod

# The race detector needs cgo and a C compiler that links; RACE=-race demands it, RACE= goes without.
RACE = $(shell [ "$$(go env CGO_ENABLED)" = 1 ] && echo 'int main(void) { return 0; }' | $$(go env CC) -x c -o /dev/null - 2>/dev/null && echo -race)

# The databases of make bench: those of make bench-data. It writes to them.
SIZES = $(strip $(foreach size,10K 100K 1M,$(patsubst %,'$(size)=%',$(or $(DATABASE$(size)),$(FOLDER$(size))))))

# Which PostgreSQL each test process used; `go test` itself hides what a passing package says.
SERVERS := $(CURDIR)/.bin/test-servers

.DEFAULT_GOAL := help
.PHONY: help run build image release test fault fuzz mutate ci-full verify docs lint vuln bench bench-data replay clean postgres

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## serve with demo data; without KONTOR_DATABASE_URL on a private PostgreSQL
	@[ -n "$$KONTOR_DATABASE_URL" ] || .ci/ensure-postgres
	@.bin/kontor serve --demo

build: ## the program as it is released, as .bin/kontor
	@.ci/build .bin/kontor

image: ## the program in an image, kontor:latest and kontor:VERSION
	@.ci/image

release: ## archives for Linux and macOS with lists of what is in them and checksums, in .bin/release: make release VERSION=v1.0.0
	@.ci/release "$(VERSION)" .bin/release

test: postgres ## all tests
	@mkdir -p .bin && rm -f $(SERVERS)
	KONTOR_TEST_SERVERS=$(SERVERS) go test -shuffle=on -timeout 30m $(RACE) ./...
	@[ ! -f $(SERVERS) ] || sort $(SERVERS) | uniq -c

fault: postgres ## kill the service and its database 120 times under load, cut the network for 30 s, ask for too much, come in thousands, restart 20 times behind haproxy; what test does in short
	KONTOR_FAULT_SERVICE_KILLS=100 KONTOR_FAULT_DATABASE_KILLS=20 KONTOR_FAULT_CUT_SECONDS=30 \
		KONTOR_FAULT_OVERLOAD_SECONDS=20 KONTOR_FAULT_SLOW_CALLERS=1000 KONTOR_FAULT_SLOW_SECONDS=30 KONTOR_FAULT_TANGLES=60 \
		KONTOR_FAULT_RESTARTS=10 KONTOR_FAULT_PROXY=haproxy go test -count=1 -timeout 30m -v ./test/chaos

fuzz: ## every parser, for FUZZTIME each (60s)
	@.ci/fuzz $(or $(FUZZTIME),60s)

mutate: ## how many small mistakes in domain/ the tests beside the code find; at least 90 %: make mutate IN=domain/money
	@.ci/mutate $(or $(IN),domain)

ci-full: ## what takes a browser, generated clients, images, releases, long faults, fuzzing and mutation testing; on Debian, as root
	@.ci/full

verify: ## regenerate and compare: go.mod, wire, gofmt, numbers of the migrations, docs
	go mod tidy -diff
	go mod verify
	$(TOOL) wire diff ./cmd/bootstrap
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not gofmt'ed:" $$unformatted; exit 1; }
	go test -run '^TestMigrations' ./test/architecture
	go test ./test/traceability
	go test -run '^TestTheDocumentInDocs' ./adapters/httpapi
	go test -run '^TestTheTableOfClasses' ./test/plans
	go test ./test/openapi

docs: ## write anew what is generated: docs/clauses.md (which test shows which clause), docs/openapi.json, a table in docs/performance.md
	go test -count=1 -run '^TestTheTableOfClausesIsUpToDate$$' ./test/traceability -update
	go test -count=1 -run '^TestTheDocumentInDocsIsUpToDate$$' ./adapters/httpapi -update
	go test -count=1 -run '^TestTheTableOfClassesIsUpToDate$$' ./test/plans -update

lint: ## golangci-lint, and the rules of test/architecture
	$(TOOL) golangci-lint run
	go test ./test/architecture

vuln: ## known vulnerabilities in what the program calls; says so where their database cannot be reached
	@.ci/vulnerabilities

bench: postgres build ## requests per second and latencies, compared with a baseline server, and their growth: make bench FOLDER10K=path FOLDER1M=path (or DATABASE10K=postgres://...), FLAGS='-rounds 3'
	@mkdir -p .bin
	@go build -o .bin/bench ./test/bench/load/cmd/bench
	$(if $(SIZES),,@[ -d .bin/bench-10k ] || go run ./test/bench/data/cmd/bench-data -clients 10000 -folder .bin/bench-10k)
	.bin/bench -program .bin/kontor $(FLAGS) $(or $(SIZES),10k=.bin/bench-10k)

bench-data: postgres ## fill a database for make bench: make bench-data CLIENTS=1000000 VARIANT=bunched SEED=2 DATABASE=postgres://... or FOLDER=path
	go run ./test/bench/data/cmd/bench-data $(if $(CLIENTS),-clients "$(CLIENTS)") $(if $(VARIANT),-variant "$(VARIANT)") \
		$(if $(SEED),-seed "$(SEED)") $(if $(DATABASE),-database "$(DATABASE)") $(if $(FOLDER),-folder "$(FOLDER)")

replay: postgres ## send a year of real invoices through the service and compare the totals: make replay FILE=path
	@[ -n "$(FILE)" ] || { echo 'make replay FILE=path/to/online_retail.csv.gz'; exit 2; }
	go run ./test/replay/cmd/replay -file "$(FILE)"

clean: ## remove what make made
	rm -rf .bin

postgres:
	@.ci/ensure-postgres
