package program

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/executable"
)

// dataFolder names a data directory which does not exist yet, and which the
// account that root runs the database as can reach.
func dataFolder(t *testing.T) string {
	t.Helper()
	parent, err := os.MkdirTemp("", "kontor-test-") //nolint:usetesting // into that of t.TempDir no other account can look
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(parent); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(parent, "data")
}

// run runs a command of the program to its end, and returns what it prints.
func run(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := process(t, arguments...).Output()
	if err != nil {
		failed, _ := errors.AsType[*exec.ExitError](err)
		t.Fatalf("kontor %s: %v\n%s", strings.Join(arguments, " "), err, failed.Stderr)
	}
	return string(out)
}

// terminate stops the program with SIGTERM.
func terminate(t *testing.T, program *exec.Cmd) {
	t.Helper()
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Fatal(err)
	}
}

// fetch is the status and the body of a response.
func fetch(t *testing.T, address string) (status int, body string) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// contract 1.19, 1.36, 1.43, 11.1, 11.2
func TestServeRunsAPrivatePostgreSQLWithoutADatabaseURL(t *testing.T) {
	dir := dataFolder(t)
	t.Setenv("KONTOR_DATABASE_URL", "")
	t.Setenv("KONTOR_DATA_DIR", dir)
	serve := []string{"serve", "--listen=127.0.0.1:0", "--log-format=json"}
	running := func() string {
		pid, err := os.ReadFile(filepath.Join(dir, "postgresql", "postmaster.pid"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return string(pid)
	}

	program, address := startKontor(t, append(serve, "--migrate=false")...)
	if status, _ := fetch(t, address+"/readyz"); status != 503 || running() == "" {
		t.Errorf("without a migration readyz answers %d", status)
	}
	terminate(t, program)

	program, address = startKontor(t, serve...)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) { // a probe on a busy machine may take too long
		status, _ := fetch(t, address+"/readyz")
		if status == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a start readyz answers %d", status)
		}
	}
	database := running()
	run(t, "user", "add", "--username", "mira", "--role", "viewer")
	var issued struct{ Token string }
	if err := json.Unmarshal([]byte(run(t, "token", "issue", "--user", "mira", "--output", "json")), &issued); err != nil {
		t.Fatal(err)
	}
	if now := running(); now != database {
		t.Errorf("the commands have replaced the running database\n%s\nby\n%s", database, now)
	}
	if status, body := fetch(t, address+"/rest/user?_format=json&auth_key="+issued.Token); status != 200 || !strings.Contains(body, `"mira"`) {
		t.Errorf("the service does not see what the commands did: %d %s", status, body)
	}
	terminate(t, program)
	if now := running(); now != "" {
		t.Errorf("the service has left its database running:\n%s", now)
	}

	if listed := run(t, "user", "list"); !strings.Contains(listed, "mira") {
		t.Errorf("after the end of the service the users are\n%s", listed)
	}
	if now := running(); now != "" {
		t.Errorf("a command has left the database running that it started:\n%s", now)
	}
}

// contract 1.19, 11.2
func TestDataDirDefaultsToTheSystemFolderForRootOnly(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(filepath.Dir(dataFolder(t)), "kontor") // where everybody can run it
	if err := executable.Write(program, binary); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	accounts := map[int]string{os.Geteuid(): "./.kontor"}
	if os.Geteuid() == 0 {
		accounts = map[int]string{0: "/var/lib/kontor", nobody: "./.kontor"}
	}
	for uid, folder := range accounts {
		command := exec.CommandContext(t.Context(), program, "serve", "--help")
		command.Env, command.Dir = []string{beKontor + "=1"}, "/"
		if uid != os.Geteuid() {
			command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		help, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		if line := lineOf(string(help), "--data-dir "); !strings.Contains(line, `(default: "`+folder+`")`) {
			t.Errorf("for the user %d the data directory is not %s: %s", uid, folder, line)
		}
	}
}

// contract 1.43
func TestCommandsCreateNoPrivateDatabase(t *testing.T) {
	dir := dataFolder(t)
	t.Setenv("KONTOR_DATABASE_URL", "")
	t.Setenv("KONTOR_DATA_DIR", dir)
	for _, line := range []string{
		"user add --username ann", "user list", "user disable --username ann", "user role --username ann --role viewer", "token issue --user ann",
		"token list", "token revoke 1", "rule list", "rule mode x off", "rule try x", "company add bakery", "company list", "company remove bakery --yes",
		"timezone show", "timezone set UTC", "readmodel verify", "readmodel rebuild", "migrate status", "migrate down",
	} {
		code, _, reported := called(t, strings.Fields(line)...)
		if want := "kontor: there is no database in " + dir + ": "; code != codeFailed || !strings.Contains(reported, want) || !strings.Contains(reported, "KONTOR_DATA_DIR") {
			t.Errorf("without a database kontor %s ends with %d and reports %s", line, code, reported)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a command has created the folder: %v", err)
	}
	if code, printed, reported := called(t, "demo"); code != codeDone || reported != "" || !strings.Contains(printed, "export TOKEN=kt_") {
		t.Errorf("kontor demo ends with %d, reports %s and prints\n%s", code, reported, printed)
	}
	if code, printed, reported := called(t, "user", "list"); code != codeDone || reported != "" || !strings.Contains(printed, "demo-mira") {
		t.Errorf("kontor user list ends with %d, reports %s and prints\n%s", code, reported, printed)
	}
}
