package fault_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/fault"
)

// mostMemory is what the service may hold whatever its callers do, in megabytes:
// docs/limits.md.
const mostMemory = 300

// slow are callers of each kind.
func slow(t *testing.T, s *fault.Site, each int) fault.Crawl {
	t.Helper()
	if err := fault.Widen(t.Context(), s, 500, 30_000); err != nil {
		t.Fatal(err)
	}
	if err := s.Restart(t.Context()); err != nil { // the memory of before does not count
		t.Fatal(err)
	}
	c, err := fault.Slow{
		Readers: each, Writers: each, Openers: each, Body: 1 << 20, Page: "/rest/client?per_page=500",
		Lasts: time.Duration(times(t, "KONTOR_FAULT_SLOW_SECONDS", 10)) * time.Second,
	}.Run(t.Context(), s)
	t.Logf("\n%s", c)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSlowCallersTakeABoundedPartOfTheMemory(t *testing.T) { // contract 3.33
	if wrong := slow(t, open(t, nil), times(t, "KONTOR_FAULT_SLOW_CALLERS", 150)).Wrong(mostMemory); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}

// A program that counts nothing holds as much as its callers want.
func TestMemoryWithoutABoundIsFoundOut(t *testing.T) {
	whole := program
	defer func() { program = whole }()
	program = sabotaged(t, "ports/room/room.go", "Most = 64 << 20", "Most = 64 << 40")
	wrong := strings.Join(slow(t, open(t, nil), 40).Wrong(mostMemory), "\n")
	if t.Log(wrong); !strings.Contains(wrong, "it held") {
		t.Error("it is not")
	}
}

// sabotaged builds the program with other words in one of its files.
func sabotaged(t *testing.T, file string, oldnew ...string) string {
	t.Helper()
	source, err := filepath.Abs(filepath.Join("..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(oldnew); n += 2 {
		if strings.Count(string(text), oldnew[n]) != 1 {
			t.Fatalf("%s has no %q to break", file, oldnew[n])
		}
	}
	folder := t.TempDir()
	broken, overlay, built := filepath.Join(folder, "broken.go"), filepath.Join(folder, "overlay.json"), filepath.Join(folder, "kontor")
	for name, text := range map[string]string{
		broken:  strings.NewReplacer(oldnew...).Replace(string(text)),
		overlay: `{"Replace": {"` + source + `": "` + broken + `"}}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build(built, "-buildvcs=false", "-overlay="+overlay, "../../cmd/kontor")
	return built
}
