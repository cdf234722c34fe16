package architecture

// The third-party libraries, each confined to one room.
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
	terminal        = "golang.org/x/term" // whether somebody reads what is printed: the standard library cannot tell
	rateLimit       = "golang.org/x/time/rate"
	swaggerUI       = "github.com/swaggest/swgui/v5/static" // the files of Swagger UI as they were released
	prometheus      = "github.com/prometheus/client_golang/..."
	openTelemetry   = "go.opentelemetry.io/otel/..."
	logr            = "github.com/go-logr/logr"
	traceProtocol   = "go.opentelemetry.io/proto/otlp/..."
	protobuf        = "google.golang.org/protobuf/proto"
	testcontainers  = "github.com/testcontainers/testcontainers-go/..."
	linearizability = "github.com/anishathalye/porcupine"
	goCmp           = "github.com/google/go-cmp/..."
)

// outsideWorld is the part of the standard library that the domain does
// without: input and output, other programs, the network, encodings of
// documents, the log, and chance.
var outsideWorld = []string{
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

// rooms is the plan of the house: who may import what.
var rooms = []Room{
	{Folder: "domain", Allow: []string{"std", "domain/...", decimal}, Deny: outsideWorld},
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

// walls are the paths that must not exist however many packages they pass.
var walls = []Wall{
	{From: "adapters/httpapi", To: "adapters/postgres", Why: "HTTP knows the store by its contracts only"},
	{From: "adapters/httpapi", To: "adapters/localpg", Why: "HTTP does not care where the database runs"},
}

// testWalls hold for packages together with their own tests.
var testWalls = []Wall{
	{From: "domain", To: "test/pgtest", Why: "the domain is tested without a database"},
	{From: "ports", To: "test/pgtest", Why: "contracts are tested without a database"},
	{From: "application", To: "test/pgtest", Why: "use cases are tested without a database"},
}

// clockRooms are the folders where the time of day may be read; everywhere
// else it is an argument. Tests read it as they like.
var clockRooms = []string{"adapters", "cmd", "test"}

// vagueNames say nothing of what a package holds.
var vagueNames = []string{"util", "utils", "common", "models", "types", "helper", "helpers"}

// maxLines is what a file may have before it has to be taken apart.
const maxLines = 500

// longFiles are the files that may be longer, each with its reason. A file
// that is no longer too long has to leave the list.
var longFiles = map[string]string{}

func adapter(technology ...string) []string {
	return append([]string{"std", "domain/...", "ports/...", "application/..."}, technology...)
}

func program(more ...string) []string {
	return append([]string{"std", "domain/...", "ports/...", "application/...", "adapters/...", "migrations", "cmd/..."}, more...)
}
