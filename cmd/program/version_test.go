package program

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// contract 1.250
func TestVersionOfAReleaseIsPrinted(t *testing.T) {
	file := testprogram.Path(t)
	output := func(words ...string) string {
		out, err := exec.CommandContext(t.Context(), file, words...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if got, want := output("--version"), "kontor version "+testprogram.Version+"\n"; got != want {
		t.Errorf("--version prints %s, want %s", got, want)
	}
	want := fmt.Sprintf("kontor    %s\ncommit    %s\ndate      %s\nschema    %d\n",
		testprogram.Version, testprogram.Commit, testprogram.Date, postgres.Version)
	if got := output("version"); !strings.HasPrefix(got, want) {
		t.Errorf("version prints\n%s", got)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(output("version", "--output", "json")), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"version": testprogram.Version, "commit": testprogram.Commit, "date": testprogram.Date, "go": runtime.Version(), "platform": platform,
		"schema": float64(postgres.Version),
	} {
		if got[name] != want {
			t.Errorf("%s is %v for scripts, want %v", name, got[name], want)
		}
	}
}
