package program

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestVersionOfAReleaseIsPrinted(t *testing.T) {
	const at = "-X github.com/kontor-crm/kontor/cmd/bootstrap."
	file := filepath.Join(t.TempDir(), "kontor")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", file,
		"-ldflags", "-w "+at+"version=v1.2.3 "+at+"commit=abc "+at+"date=2026-11-21T18:00:00Z", "../kontor")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	output := func(words ...string) string {
		out, err := exec.CommandContext(t.Context(), file, words...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if got, want := output("--version"), "kontor v1.2.3 (commit abc, "+runtime.Version()+", "+platform+")\n"; got != want {
		t.Errorf("--version prints %s, want %s", got, want)
	}
	if got := output("version"); !strings.HasPrefix(got, "kontor    v1.2.3\ncommit    abc\ndate      2026-11-21T18:00:00Z\n") {
		t.Errorf("version prints\n%s", got)
	}
	var got map[string]string
	if err := json.Unmarshal([]byte(output("version", "--output", "json")), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"version": "v1.2.3", "commit": "abc", "date": "2026-11-21T18:00:00Z", "go": runtime.Version(), "platform": platform,
	} {
		if got[name] != want {
			t.Errorf("%s is %q for scripts, want %q", name, got[name], want)
		}
	}
}
