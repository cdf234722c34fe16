//go:build full

package operations

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/citus"
	"github.com/kontor-crm/kontor/test/doctest"
	"github.com/kontor-crm/kontor/test/replicas"
	"github.com/kontor-crm/kontor/test/rest"
)

const scalingPage = "../../docs/scaling.md"

// programs are the blocks of the page without containers, which test/packaging runs.
func programs(t *testing.T) (blocks []doctest.Block) {
	t.Helper()
	for _, b := range doctest.Blocks(t, scalingPage) {
		if !strings.Contains(b.Script, "docker compose") {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func TestSkippedBlocksOfScalingPageAreKnown(t *testing.T) {
	t.Parallel()
	want := []string{
		"One instance: export KONTOR_DATABASE_URL=postgres://kontor:secret@10.0.0.21:5432/kontor (the test has a database of its own)",
		"Replicas: export PGDATA=/var/lib/postgresql/15/replica (the test has servers of its own)",
		"Citus: export COORDINATOR=postgres://postgres@10.0.0.31/kontor (the test has a cluster of its own)",
	}
	if diff := cmp.Diff(want, doctest.NotRun(programs(t))); diff != "" {
		t.Error(diff)
	}
}

// addresses replaces the addresses on a page by those of a test.
func addresses(blocks []doctest.Block, replaced ...string) []doctest.Block {
	replacer := strings.NewReplacer(replaced...)
	for i := range blocks {
		blocks[i].Script, blocks[i].Output = replacer.Replace(blocks[i].Script), replacer.Replace(blocks[i].Output)
	}
	return blocks
}

// contract 13.1, 13.8
func TestProgramsOfScalingPageServe(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("haproxy"); err != nil {
		t.Fatal("haproxy is missing: install the package haproxy")
	}
	primary := replicas.NewPrimary(t)
	primary.Set("max_connections", "200") // it has this from its command line, and a replica needs as many
	folder, data, port := t.TempDir(), ownFolder(t), portOf(rest.Free(t))
	a, b, proxy := rest.Free(t), rest.Free(t), rest.Free(t)
	writeConfiguration(t, folder, a, b, proxy)
	programsPath := "PATH=" + asServerUser(t) + string(os.PathListSeparator) + strings.TrimPrefix(path(t), "PATH=")
	shell := doctest.Start(t, folder, programsPath,
		"KONTOR_DATABASE_URL="+primary.URL(), "PGDATA="+data, "PGPORT="+port)
	t.Cleanup(func() { // pg_ctl starts it outside of the shell
		stop := exec.Command("sh", "-c", "exec pg_ctl stop --mode=immediate --pgdata="+data)
		stop.Env = append(os.Environ(), programsPath)
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	blocks := addresses(programs(t), "127.0.0.1:8081", a, "127.0.0.1:8082", b, "127.0.0.1:8000", proxy,
		"postgres://kontor:secret@10.0.0.22:5432/kontor", "postgres://postgres@127.0.0.1:"+port+"/kontor?sslmode=disable")
	for _, section := range []string{"One instance", "Instances behind haproxy", "Replicas", "Companies"} {
		for _, block := range doctest.In(t, section, blocks) {
			shell.Run(block)
		}
	}
}

// ownFolder is a new folder for the data of PostgreSQL, in one that its user may enter.
func ownFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "kontor-scaling-") //nolint:usetesting // a folder of the test may be entered by its user only
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if os.Getuid() == 0 {
		if out, err := exec.Command("chown", "postgres", folder).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return filepath.Join(folder, "data")
}

// asServerUser is a folder with the programs of the page that PostgreSQL's user runs.
func asServerUser(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		return "."
	}
	folder := t.TempDir()
	for _, program := range []string{"pg_basebackup", "pg_ctl"} {
		found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s is missing: make postgres installs it", program)
		}
		script := "#!/bin/sh\ncd / && exec setpriv --reuid=postgres --regid=postgres --init-groups " + found[len(found)-1] + " \"$@\"\n"
		if err := os.WriteFile(filepath.Join(folder, program), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func portOf(address string) string { return address[strings.LastIndex(address, ":")+1:] }

// writeConfiguration writes haproxy.cfg as the page of operations has it, with the addresses of the test.
func writeConfiguration(t *testing.T, folder, a, b, proxy string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, configuration, _ := strings.Cut(string(text), "```haproxy\n")
	configuration, _, _ = strings.Cut(configuration, "```\n")
	configuration = strings.NewReplacer(":8000", proxy, "10.0.0.11:8080", a, "10.0.0.12:8080", b).Replace(configuration)
	if err := os.WriteFile(filepath.Join(folder, "haproxy.cfg"), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCitusOfScalingPagePlacesCompanies(t *testing.T) {
	t.Parallel()
	cluster, err := citus.Start(t.Context(), 2)
	if errors.Is(err, citus.ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			t.Error(err)
		}
	})
	var urls, ports []string
	for _, node := range cluster.Nodes {
		with(t, node.URL("postgres"), func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "create database kontor")
			return err
		})
		urls, ports = append(urls, node.URL("kontor")), append(ports, strconv.Itoa(node.Port))
	}
	shell := doctest.Start(t, t.TempDir(), path(t), "COORDINATOR="+urls[0], "WORKERS="+strings.Join(urls[1:], " "))
	blocks := addresses(programs(t), "'10.0.0.31', 5432", "'127.0.0.1', "+ports[0], "'10.0.0.32', 5432", "'127.0.0.1', "+ports[1],
		"'10.0.0.33', 5432", "'127.0.0.1', "+ports[2], "10.0.0.3…", "127.0.0.1:…")
	for _, block := range doctest.In(t, "Citus", blocks) {
		shell.Run(block)
	}
}
