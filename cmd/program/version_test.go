package program

import (
	"encoding/json"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/testprogram"
)

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
	if got := output("version"); !strings.HasPrefix(got, "kontor    "+testprogram.Version+"\ncommit    "+testprogram.Commit+"\ndate      "+testprogram.Date+"\n") {
		t.Errorf("version prints\n%s", got)
	}
	var got map[string]string
	if err := json.Unmarshal([]byte(output("version", "--output", "json")), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"version": testprogram.Version, "commit": testprogram.Commit, "date": testprogram.Date, "go": runtime.Version(), "platform": platform,
	} {
		if got[name] != want {
			t.Errorf("%s is %q for scripts, want %q", name, got[name], want)
		}
	}
}
