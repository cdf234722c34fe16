package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestReadModelsAreVerifiedAndRebuilt(t *testing.T) {
	url := pgtest.URL(t)
	t.Setenv("KONTOR_DATABASE_URL", url)
	const agree = "The read models agree with the records.\n"
	if got := run(t, "readmodel", "verify"); got != agree {
		t.Errorf("of a new database verify prints %s", got)
	}
	execute(t, url, "insert into client_counts (client_id, deals, offers, contracts, invoices) values (4711, 1, 0, 2, 3)")

	var out bytes.Buffer
	verify := func(arguments ...string) error {
		out.Reset()
		command := newCommand()
		command.Writer = &out
		return command.Run(t.Context(), append([]string{"kontor", "readmodel", "verify"}, arguments...))
	}
	if err := verify(); !errors.Is(err, errDisagree) {
		t.Errorf("verify ends with %v", err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 3 || strings.Join(strings.Fields(lines[0]), " ") != "MODEL KEY STORED EXPECTED" ||
		!strings.Contains(lines[1], "client_counts  client_id 4711  deals 1, offers 0, contracts 2, invoices 3  deals 0, offers 0, contracts 0, invoices 0") {
		t.Errorf("verify prints\n%s", &out)
	}
	var rows []map[string]string
	if err := verify("--output", "json"); !errors.Is(err, errDisagree) || json.Unmarshal(out.Bytes(), &rows) != nil ||
		len(rows) != 1 || rows[0]["model"] != "client_counts" || rows[0]["key"] != "client_id 4711" || rows[0]["expected"] == rows[0]["stored"] {
		t.Errorf("for scripts verify prints %s and ends with %v", &out, err)
	}

	if got := run(t, "readmodel", "rebuild"); !strings.HasPrefix(got, "The read models were rebuilt in ") || !strings.HasSuffix(got, "s.\n") {
		t.Errorf("rebuild prints %s", got)
	}
	if got := run(t, "readmodel", "verify"); got != agree {
		t.Errorf("after a rebuild verify prints %s", got)
	}
	if got := run(t, "readmodel", "verify", "--output", "json"); got != "[]\n" {
		t.Errorf("after a rebuild verify prints %s for scripts", got)
	}
}

func execute(t *testing.T, url, sql string) {
	t.Helper()
	if _, err := pgtest.Pool(t, url).Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// contract 1.36, 1.35, 4.87
func TestServeKeepsReadModelsUpToDate(t *testing.T) {
	url := pgtest.URL(t)
	t.Setenv("KONTOR_DATABASE_URL", url)
	execute(t, url, "update read_model_state set is_ready = false")
	execute(t, url, "insert into client_totals (user_id, type, record_count) values (0, 1, 7)")
	program, _ := startKontor(t, "serve", "--listen=127.0.0.1:0")
	agree := func() bool {
		command := newCommand()
		command.Writer = io.Discard
		return command.Run(t.Context(), []string{"kontor", "readmodel", "verify"}) == nil
	}
	for end := time.Now().Add(15 * time.Second); !agree(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Error("after 15 s the service has not rebuilt its read models")
			break
		}
	}
	terminate(t, program)
}
