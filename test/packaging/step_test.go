package packaging

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

func TestStepShowsSecondsAndTheOutputOfAFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		code   int
		says   []string // nothing else, so that a quick step is silent
	}{
		"a quick command": {"echo hush", 0, nil},
		"a slow command":  {"sleep 4; echo hush", 0, []string{"Waiting: ", " s\nWaiting: done after "}},
		"a failure":       {"echo the reason; exit 3", 3, []string{"Waiting: failed after ", " s\nthe reason\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output, err := exec.CommandContext(t.Context(), root+".ci/step", "Waiting", "sh", "-c", c.script).CombinedOutput()
			code := 0
			if failed, ok := errors.AsType[*exec.ExitError](err); ok {
				code = failed.ExitCode()
			}
			said := string(output)
			if code != c.code || strings.Contains(said, "hush") || len(c.says) == 0 && said != "" {
				t.Errorf("ends with %d and prints %q", code, said)
			}
			for _, part := range c.says {
				if !strings.Contains(said, part) {
					t.Errorf("%q does not contain %q", said, part)
				}
			}
		})
	}
}
