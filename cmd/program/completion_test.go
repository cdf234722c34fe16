package program

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pressTab prints the completions that bash gets. The script is read as by a user's
// ~/.bashrc; each line is what was typed, with words separated by bars where bash
// separates them.
const pressTab = `
source <(kontor completion bash)
while IFS= read -r line; do
	IFS='|' read -ra COMP_WORDS <<< "$line "
	COMP_WORDS[-1]=${COMP_WORDS[-1]% }
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_kontor
	echo "${COMPREPLY[*]}"
done
complete -p kontor
`

// contract 1.70
func TestCompletionInBashOffersCommandsOptionsAndValues(t *testing.T) {
	folder := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(folder, "kontor")); err != nil {
		t.Fatal(err)
	}
	trap := filepath.Join(folder, "trap")
	cases := [][2]string{
		{"kontor|us", "user"},
		{"kontor|", "serve demo health doctor user token rule migrate company timezone readmodel version help completion"},
		{"kontor|user|", "add list disable enable role"},
		{"kontor|user|li", "list"},
		{"kontor|--", "--help --version"},
		{"kontor|user|add|--u", "--username"},
		{"kontor|user|list|--output|", "table json"},
		{"kontor|user|list|--output|j", "json"},
		{"kontor|user|list|--output|=|j", "json"},
		{"kontor|user|list|--output|=", "table json"},
		{"kontor|user|role|--role|", "admin manager viewer"},
		{"kontor|serve|--log", "--log-format --log-level"},
		{"kontor|serve|--log-level|w", "warn"},
		{"kontor|serve|--demo|--lis", "--listen"},
		{"kontor|rule|new|--on|inv", "invoice invoice-type"},
		{"kontor|help|user|ro", "role"},
		{"kontor|completion|", "bash zsh fish powershell"},
		{"kontor|migrate|status|", ""},
		{"kontor|token|list|--user|$(touch " + trap + ")|--output|t", "table"},
	}
	var typed, want strings.Builder
	for _, c := range cases {
		typed.WriteString(c[0] + "\n")
		want.WriteString(c[1] + "\n")
	}
	want.WriteString("complete -o default -F _kontor kontor\n")
	bash := exec.CommandContext(t.Context(), "bash", "--norc", "-c", pressTab)
	bash.Env = append(os.Environ(), beKontor+"=1", "PATH="+folder+":"+os.Getenv("PATH"))
	bash.Stdin = strings.NewReader(typed.String())
	out, err := bash.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := strings.Split(string(out), "\n")
	for i, line := range strings.Split(want.String(), "\n") {
		if i >= len(got) || got[i] != line {
			t.Fatalf("of line %d bash gets\n%s\nwant\n%s", i, out, &want)
		}
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("completing a line executes what is in it")
	}
}

// contract 1.70
func TestCompletionHasAScriptForEachShell(t *testing.T) {
	for shell, part := range map[string]string{
		"bash":       "complete -o default -F _kontor kontor",
		"zsh":        "#compdef kontor",
		"fish":       "complete -c kontor",
		"powershell": "Register-ArgumentCompleter -Native -CommandName kontor",
		"pwsh":       "Register-ArgumentCompleter -Native -CommandName kontor",
	} {
		if code, printed, reported := called(t, "completion", shell); code != codeDone || reported != "" || !strings.Contains(printed, part) {
			t.Errorf("kontor completion %s ends with %d, reports %q and prints\n%s", shell, code, reported, printed)
		}
	}
}
