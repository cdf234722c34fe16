package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// forbiddenSQL is what a distributed PostgreSQL does not run, or what bypasses the stores. The patterns match lower-case
// text with single blanks, without comments and literals, also in the code of the stores: prose must not contain them.
var forbiddenSQL = []struct {
	pattern *regexp.Regexp
	why     string
}{
	{regexp.MustCompile(`\b(create|alter|drop)( or replace)?( constraint| event)? trigger\b`), "the stores write derived rows"},
	{regexp.MustCompile(`\b(create|alter|drop)( or replace)? (function|procedure|aggregate)\b|\blanguage plpgsql\b|\bdo \$`), "no code in the database"},
	{regexp.MustCompile(`\bcreate( or replace)? rule\b`), "no rewriting of statements"},
	{regexp.MustCompile(`\bon (delete|update) (cascade|set null|set default)\b`), "it bypasses the stores"},
	{regexp.MustCompile(`\bpg_notify ?\(|\b(un)?listen [a-z_]+ ?;|\bnotify [a-z_]+ ?[,;]`), "it needs one node"},
	{regexp.MustCompile(`\bpg_(current_snapshot|snapshot_x|current_xact_id|visible_in_snapshot|xact_status|export_snapshot)|\btxid_[a-z_]+ ?\(|\bxid8\b`), "it means nothing across nodes"},
	{regexp.MustCompile(`\bfor share\b`), "those who share the lock of a row overtake a writer that waits for it"},
	{regexp.MustCompile(`\b(from|join|into|update|table|only|references) (if (not )?exists )?"?(public|crm|kontor)"?\.|\bpublic\.[a-z_]`), "the search path decides"},
}

func TestStatementsRunOnDistributedPostgreSQL(t *testing.T) {
	t.Parallel()
	searched := 0
	walk(t, func(file string) {
		isStore := strings.HasPrefix(file, "adapters/postgres/") && strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go")
		isMigration := strings.HasPrefix(file, "migrations/") && strings.HasSuffix(file, ".sql")
		if !isStore && !isMigration {
			return
		}
		searched++
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range searchSQL(string(text)) {
			t.Errorf("%s: %s", file, fault)
		}
	})
	if searched < 20 {
		t.Errorf("found only %d files with SQL", searched)
	}
}

// ignored are comments, and literals of SQL.
var ignored = regexp.MustCompile(`--[^\n]*|//[^\n]*|(?s:/\*.*?\*/)|'(?:[^'\n]|'')*'`)

// searchSQL returns what is forbidden in a text, and why.
func searchSQL(text string) (faults []string) {
	plain := strings.Join(strings.Fields(strings.ToLower(ignored.ReplaceAllString(text, " "))), " ")
	for _, forbidden := range forbiddenSQL {
		if found := forbidden.pattern.FindString(plain); found != "" {
			faults = append(faults, found+": "+forbidden.why)
		}
	}
	return faults
}

func TestSearchSQLFindsForbiddenStatements(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"create trigger t after insert on a for each row execute function f();",
		"create or replace function f() returns int as 'select 1' language sql;", "CREATE PROCEDURE p() begin atomic end;",
		"do language plpgsql 'begin end';", "do $$ begin end $$;", "create rule r as on insert to a do nothing;",
		"create table a (b bigint constraint a_b_fk references b (id)\n  ON DELETE\n  CASCADE);",
		"listen changes;", "notify changes, 'x';", "select pg_notify('a', 'b');",
		"select pg_current_snapshot();", "create table a (x xid8 not null);", "select txid_current();",
		"insert into public.a (b) values (1);", `create table if not exists "crm".a (b bigint);`,
		"select from a where b = $1\nfor share",
	} {
		if len(searchSQL(text)) == 0 {
			t.Errorf("not found: %s", text)
		}
	}
	if faults := searchSQL("-- on delete cascade\nselect 'listen x;', t.a from t -- public.t\n/* create trigger */ where a is distinct from b.c"); faults != nil {
		t.Errorf("found %q in a plain statement", faults)
	}
}

// Those who add a record lock the keys of the rows that it refers to. A writer that locked a key would wait for all of
// them: only rows that nothing refers to are locked with their keys, and clients and pictures before a deletion.
func TestWritersLockNoKeysOfRowsThatOthersReferTo(t *testing.T) {
	t.Parallel()
	allowed := map[string]int{"contact.go": 4, "picture.go": 1, "token.go": 1}
	folder := filepath.Join(root, "adapters", "postgres", "pgstore")
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		if found := strings.Count(string(text), "for update"); found != allowed[name] && !strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s locks keys in %d statements, want %d: use `for no key update`", name, found, allowed[name])
		}
	}
}
