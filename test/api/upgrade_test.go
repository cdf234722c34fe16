package api_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// A database of the first release, as SQL, and what its service responded to requests. Until the release, and only until
// then, a change of the schema changes them: go test ./test/api -run ReleasedRecords -update, which needs pg_dump.
const (
	releasedDump   = "testdata/v0.1.0.sql"
	releasedBodies = "testdata/v0.1.0.json"
)

// contract 1.96
func TestReleasedRecordsAreReadBackAfterUpgrade(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the dump is one of the default company")
	if *update {
		writeRelease(t)
	}
	dump, err := os.ReadFile(releasedDump)
	if err != nil || len(dump) > 200_000 {
		t.Fatalf("the dump has %d bytes: %v", len(dump), err)
	}
	database := pgtest.EmptyURL(t)
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.PgConn().Exec(t.Context(), string(dump)).ReadAll(); err != nil {
		t.Fatal(err)
	}
	if err := bootstrap.Migrate(t.Context(), bootstrap.Defaults(database)); err != nil {
		t.Fatal(err)
	}
	s := serve(t, database)
	secret, _, err := s.commands.Tokens.Issue(t.Context(), "admin", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	s.tokens["admin"] = secret.Token
	text, err := os.ReadFile(releasedBodies)
	if err != nil {
		t.Fatal(err)
	}
	var released map[string]any
	if err := json.Unmarshal(text, &released); err != nil {
		t.Fatal(err)
	}
	for path, want := range released {
		var got any
		if err := json.Unmarshal([]byte(s.as("admin").get(path).wants(200).body), &got); err != nil {
			t.Fatal(err)
		}
		if difference := missing(want, got); difference != "" {
			t.Errorf("%s differs at %s: %v, want %v", path, difference, got, want)
		}
	}
	s.as("admin").get("/rest/invoice/2/document?as=pdf").wants(200)
	s.as("admin").post("/rest/client", fields{"name": "Later", "type": 1}).wants(200)
}

// missing returns where want differs from got, which may have more attributes: those of later versions.
func missing(want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		of, _ := got.(map[string]any)
		for name := range want {
			if at := missing(want[name], of[name]); at != "" {
				return "." + name + at
			}
		}
	case []any:
		of, _ := got.([]any)
		if len(of) != len(want) {
			return "[]"
		}
		for i := range want {
			if at := missing(want[i], of[i]); at != "" {
				return "[]" + at
			}
		}
	default:
		if want != got {
			return " "
		}
	}
	return ""
}

// writeRelease writes the dump of a database with records in all tables, and the responses.
func writeRelease(t *testing.T) {
	t.Helper()
	s := issuer(t)
	admin := s.as("admin")
	admin.post("/rest/deal-type", fields{"name": "Rent"}).wants(200)
	client := admin.withKey("one").post("/rest/client", fields{"name": "Łucja Żak", "type": 2, "phone": "0431 555", "ref": "key-1"}).id()
	admin.post("/rest/contact", fields{"name": "Cleo", "client_id": client, "rank": "owner"}).wants(200)
	deal := admin.post("/rest/deal", fields{"name": "Door", "client_id": client, "type_id": 1}).id()
	admin.patch("/rest/deal/"+deal, fields{"status_id": 2}).wants(200)
	admin.post("/rest/offer", fields{"deal_id": deal, "number": "O-2", "notice": "valid a week"}).wants(200)
	admin.post("/rest/contract", fields{"deal_id": deal, "number": "C-2"}).wants(200)
	admin.put("/rest/performer/1/file/logo", painted(7)).wants(200)
	admin.put("/rest/performer/1/file/stamp_file", painted(8)).wants(200)
	path := s.drafted(fields{"notice": "Thank you", "discount_percent": "2.5"})
	issued := admin.post(path+"/issue", nil).record()["id"]
	line := admin.get(path + "?expand=items").record()["items"].([]any)[0].(map[string]any)["id"]
	admin.post("/rest/payment", payment("20", fields{"client_id": 1, "items": []fields{{"invoice_id": issued, "amount": "20"}}})).wants(200)
	admin.post(path+"/credit", fields{"items": []fields{{"id": line, "count": 1}}}).wants(200)
	s.drafted(nil)
	s.violate(admin.post("/rest/rule", namesRequired("no-x")).id())

	dump, err := exec.CommandContext(t.Context(), "pg_dump", "--no-owner", "--no-privileges", "--inserts", s.database).Output()
	if err != nil {
		t.Fatal(err)
	}
	released := map[string]json.RawMessage{}
	for _, path := range []string{
		"user", "status", "deal-type", "invoice-type", "performer", "performer/1/party", "performer/1/series", "client", "client/1/party",
		"contact?client_id=" + client,
		"deal", "deal/" + deal + "/history", "offer", "contract", "invoice?expand=items", "payment", "rule",
		"report/receivables?at=2024-04-01&by=invoice", "report/vat?from=2024-01-01&to=2024-12-31",
	} {
		released["/rest/"+path] = json.RawMessage(admin.get("/rest/" + path).wants(200).body)
	}
	bodies, err := json.MarshalIndent(released, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	// Comments name the server, and newer programs write lines for psql.
	writeFile(t, releasedDump, regexp.MustCompile(`(?m)^(--|\\).*\n|^\n`).ReplaceAll(dump, nil))
	writeFile(t, releasedBodies, append(bodies, '\n'))
}

func writeFile(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
