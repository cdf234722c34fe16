//go:build full

package docs

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
	"github.com/kontor-crm/kontor/test/failover"
	"github.com/kontor-crm/kontor/test/rest"
)

const scalingPage = "../../docs/performance.md"

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

func TestProgramsOfScalingPageServe(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("haproxy"); err != nil {
		t.Fatal("haproxy is missing: install the package haproxy")
	}
	primary := failover.NewPrimary(t)
	folder := t.TempDir()
	a, b, proxy := rest.Free(t), rest.Free(t), rest.Free(t)
	writeConfiguration(t, folder, a, b, proxy)
	shell := doctest.Start(t, folder, programPath(t), "KONTOR_DATABASE_URL="+primary.URL())
	blocks := addresses(programs(t), "127.0.0.1:8081", a, "127.0.0.1:8082", b, "127.0.0.1:8000", proxy)
	for _, section := range []string{"One instance", "Instances behind haproxy", "Many companies"} {
		for _, block := range doctest.In(t, section, blocks) {
			shell.Run(block)
		}
	}
}

// writeConfiguration writes haproxy.cfg as the page of operations has it, with the addresses of the test.
func writeConfiguration(t *testing.T, folder, a, b, proxy string) {
	t.Helper()
	text, err := os.ReadFile(operationsPage)
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
	shell := doctest.Start(t, t.TempDir(), programPath(t), "COORDINATOR="+urls[0], "WORKERS="+strings.Join(urls[1:], " "))
	blocks := addresses(programs(t), "'10.0.0.31', 5432", "'127.0.0.1', "+ports[0], "'10.0.0.32', 5432", "'127.0.0.1', "+ports[1],
		"'10.0.0.33', 5432", "'127.0.0.1', "+ports[2], "10.0.0.3…", "127.0.0.1:…")
	for _, block := range doctest.In(t, "Citus", blocks) {
		shell.Run(block)
	}
}
