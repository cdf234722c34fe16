package architecture

// The third-party libraries, each confined to one layer.
const (
	decimal         = "github.com/shopspring/decimal"
	gin             = "github.com/gin-gonic/gin/..."
	pgx             = "github.com/jackc/pgx/v5/..."
	pgxPool         = "github.com/jackc/pgx/v5/pgxpool"
	squirrel        = "github.com/Masterminds/squirrel"
	goose           = "github.com/pressly/goose/v3/..."
	unicodeText     = "golang.org/x/text/..."
	systemCalls     = "golang.org/x/sys/..."
	commandLine     = "github.com/urfave/cli/v3"
	wire            = "github.com/google/wire"
	progressBar     = "github.com/schollz/progressbar/v3"
	terminal        = "golang.org/x/term" // detects a terminal, which the standard library cannot
	rateLimit       = "golang.org/x/time/rate"
	swaggerUI       = "github.com/swaggest/swgui/v5/static" // the released files of Swagger UI
	prometheus      = "github.com/prometheus/client_golang/..."
	openTelemetry   = "go.opentelemetry.io/otel/..."
	logr            = "github.com/go-logr/logr"
	traceProtocol   = "go.opentelemetry.io/proto/otlp/..."
	protobuf        = "google.golang.org/protobuf/proto"
	testcontainers  = "github.com/testcontainers/testcontainers-go/..."
	linearizability = "github.com/anishathalye/porcupine"
	goCmp           = "github.com/google/go-cmp/..."
)

// inputOutput are the packages of the standard library that the domain must not
// use: input and output, processes, the network, encodings of documents, logging
// and randomness.
var inputOutput = []string{
	"context",
	"crypto/rand",
	"database/sql/...",
	"embed",
	"encoding/csv",
	"encoding/gob",
	"encoding/json/...",
	"encoding/xml",
	"html/...",
	"io/fs",
	"io/ioutil",
	"log/...",
	"math/rand/...",
	"net",
	"net/http/...",
	"net/rpc/...",
	"net/smtp",
	"os/...",
	"runtime/...",
	"syscall/...",
	"testing/...",
	"text/template/...",
	"unsafe",
}

// layers are the import rules.
var layers = []Layer{
	{Folder: "domain", Allow: []string{"std", "domain/...", decimal}, Deny: inputOutput},
	{Folder: "ports", Allow: []string{"std", "domain/...", "ports/..."}},
	{Folder: "application", Allow: []string{"std", "domain/...", "ports/...", "application/..."}},

	{Folder: "adapters", Allow: adapter()},
	{Folder: "adapters/httpapi", Allow: adapter(gin, rateLimit, "adapters/httpapi/...")},
	{Folder: "adapters/httpapi/docspage", Allow: adapter(swaggerUI)},
	{Folder: "adapters/localpg", Allow: adapter(pgx, systemCalls, "adapters/localpg/...")},
	{Folder: "adapters/telemetry", Allow: adapter(prometheus, openTelemetry, logr)},
	{Folder: "adapters/textkey", Allow: adapter(unicodeText)},
	{Folder: "adapters/postgres", Allow: adapter(pgx, goose, "migrations", "adapters/postgres/...", "adapters/textkey")},
	{Folder: "adapters/postgres/listdef", Allow: []string{"std"}},
	{Folder: "adapters/postgres/pgstore", Allow: adapter(pgx, "adapters/postgres/...", "adapters/textkey")},
	{Folder: "adapters/postgres/pgread", Allow: adapter(pgx, squirrel, "adapters/postgres/...", "adapters/textkey")},
	{Folder: "adapters/doctor", Allow: adapter(pgx, "migrations", "adapters/postgres/...")},
	{Folder: "migrations", Allow: []string{"std"}},

	{Folder: "cmd", Allow: program(commandLine, progressBar, terminal)},
	{Folder: "cmd/bootstrap", Allow: program(commandLine, wire, pgxPool)},

	{Folder: "test", Allow: program("test/...", pgx, testcontainers, goCmp, progressBar, decimal, traceProtocol, protobuf, linearizability)},
}

// forbiddenPaths are paths of imports that must not exist, however long.
var forbiddenPaths = []ForbiddenPath{
	{From: "adapters/httpapi", To: "adapters/postgres", Why: "HTTP uses the store through ports only"},
	{From: "adapters/httpapi", To: "adapters/localpg", Why: "HTTP does not depend on where the database runs"},
}

// forbiddenTestPaths hold for packages together with their own tests.
var forbiddenTestPaths = []ForbiddenPath{
	{From: "domain", To: "test/pgtest", Why: "the domain is tested without a database"},
	{From: "ports", To: "test/pgtest", Why: "ports are tested without a database"},
	{From: "application", To: "test/pgtest", Why: "use cases are tested without a database"},
}

// clockFolders are the folders whose code may read the clock; elsewhere the time is
// a parameter. Tests may read it anywhere.
var clockFolders = []string{"adapters", "cmd", "test"}

// vagueNames do not describe the contents of a package.
var vagueNames = []string{"util", "utils", "common", "models", "types", "helper", "helpers"}

// maxLines is the maximum length of a file.
const maxLines = 500

// longFiles may be longer, each with its reason. A file that is short enough must
// leave the list.
var longFiles = map[string]string{}

func adapter(technology ...string) []string {
	return append([]string{"std", "domain/...", "ports/...", "application/..."}, technology...)
}

func program(more ...string) []string {
	return append([]string{"std", "domain/...", "ports/...", "application/...", "adapters/...", "migrations", "cmd/..."}, more...)
}
