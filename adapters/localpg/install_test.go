package localpg

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/executable"
)

// bareSystem is a made-up system without PostgreSQL: a root folder, the tools
// that the script needs, and the programs that are given by their scripts. It
// runs .ci/ensure-postgres there, and returns what it says.
func bareSystem(t *testing.T, programs map[string]string) (root string, ensure func() (said string, err error)) {
	t.Helper()
	root = t.TempDir()
	bin := filepath.Join(root, "bin")
	for _, tool := range []string{"sh", "cat", "dirname", "basename", "mkdir", "grep", "mktemp", "rm", "tail", "tr", "touch", "chmod", "date", "env", "sleep"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		programs[tool] = "exec " + path + ` "$@"`
	}
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, script := range programs {
		if err := executable.Write(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	absolute := regexp.MustCompile(`([\s=])/(usr|opt|home|Applications|etc)/`)
	for _, name := range []string{"ensure-postgres", "step"} {
		script, err := os.ReadFile("../../.ci/" + name)
		if err == nil {
			err = executable.Write(filepath.Join(root, name), absolute.ReplaceAll(script, []byte("${1}"+root+"/$2/")))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root, func() (string, error) {
		command := exec.CommandContext(t.Context(), filepath.Join(root, "ensure-postgres"))
		command.Env = []string{"PATH=" + bin, "TMPDIR=" + root, "ROOT=" + root}
		said, err := command.CombinedOutput()
		return string(said), err
	}
}

// The apt-get of the made-up system puts the programs where Debian has them, and
// records its arguments and its environment.
const aptGet = `echo "$@" >>$ROOT/asked
case " $* " in *" install "*) ;; *) exit 0 ;; esac
cat $ROOT/etc/postgresql-common/createcluster.conf >>$ROOT/asked
mkdir -p $ROOT/usr/lib/postgresql/17/bin
touch $ROOT/usr/lib/postgresql/17/bin/pg_ctl
chmod +x $ROOT/usr/lib/postgresql/17/bin/pg_ctl`

// contract 11.5
func TestInstallAsRootStartsNoServer(t *testing.T) {
	t.Parallel()
	root, ensure := bareSystem(t, map[string]string{"id": "echo 0", "apt-get": aptGet})
	if said, err := ensure(); err != nil {
		t.Fatal(err, said)
	}
	asked, err := os.ReadFile(filepath.Join(root, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(asked)), "\n")
	if len(lines) != 3 || lines[0] != "update" || !strings.HasSuffix(lines[1], " postgresql") || lines[2] != "create_main_cluster = false" {
		t.Errorf("apt-get had the arguments and the environment %q", lines)
	}
	if said, err := ensure(); err != nil || said != "" {
		t.Errorf("with the programs there it says %q, %v", said, err)
	}
	if again, err := os.ReadFile(filepath.Join(root, "asked")); err != nil || !bytes.Equal(again, asked) {
		t.Errorf("with the programs there it installs them again: %s", again)
	}
}

// contract 11.5
func TestInstallUsesPasswordlessSudo(t *testing.T) {
	t.Parallel()
	sudo := `[ "$1" = -n ] || exit 1
shift
IS_ROOT=0 exec "$@"`
	root, ensure := bareSystem(t, map[string]string{"id": "echo ${IS_ROOT:-1000}", "sudo": sudo, "true": "", "apt-get": aptGet})
	if said, err := ensure(); err != nil {
		t.Fatal(err, said)
	}
	if _, err := os.Stat(root + "/usr/lib/postgresql/17/bin/pg_ctl"); err != nil {
		t.Error(err)
	}
}

// contract 11.5
func TestInstallWithoutPermissionPrintsTheCommand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sudo, command string }{
		"no sudo":                    {"", "su -c "},
		"a sudo that wants a secret": {"exit 1", "sudo "},
	} {
		t.Run(name, func(t *testing.T) {
			programs := map[string]string{"id": "echo 1000", "apt-get": aptGet}
			if c.sudo != "" {
				programs["sudo"] = c.sudo
			}
			root, ensure := bareSystem(t, programs)
			said, err := ensure()
			if want := "\n  " + c.command + filepath.Join(root, "ensure-postgres") + "\n"; err == nil || strings.Count(said, "\n") != 2 || !strings.HasSuffix(said, want) {
				t.Errorf("it says %q, %v, want one line to type: %q", said, err, want)
			}
			if _, err := os.Stat(filepath.Join(root, "asked")); err == nil {
				t.Error("apt-get was asked all the same")
			}
		})
	}
}
