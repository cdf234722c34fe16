package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/ruledef"
)

// contract 1.90
func TestRuleNewWritesRuleAndTest(t *testing.T) {
	t.Chdir(t.TempDir())
	code, printed, reported := called(t, "rule", "new", "no-deals.on_sunday", "--on", "invoice")
	if code != codeDone || !strings.Contains(printed, "rule.Invoices.Rules(NoDealsOnSunday{})") {
		t.Fatalf("it ends with %d, prints %s and reports %s", code, printed, reported)
	}
	for name, parts := range map[string][]string{
		"no-deals-on-sunday.go":      {"type NoDealsOnSunday struct{}", `return "no-deals.on_sunday"`, "rule.Change[invoice.State]"},
		"no-deals-on-sunday_test.go": {"func TestNoDealsOnSunday"},
	} {
		text := content(t, name)
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s does not contain %s:\n%s", name, part, text)
			}
		}
	}
}

func TestRuleNewFollowsThePackageOfTheFolder(t *testing.T) {
	for name, c := range map[string]struct{ folder, file, text, want string }{
		"the files'":                  {"rules", "a.go", "package house", "house"},
		"the tests'":                  {"rules", "a_test.go", "package house_test", "house"},
		"the folder's, without files": {"rules", "a.txt", "", "rules"},
		"main, in a module's root":    {"rules", "go.mod", "module example.org/rules", "main"},
		"main, if there is no name":   {"2-rules", "a.txt", "", "main"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), c.folder)
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(folder, c.file), c.text)
			code, _, reported := called(t, "rule", "new", "x", "--dir", folder)
			if code != codeDone {
				t.Fatal(reported)
			}
			if text := content(t, filepath.Join(folder, "x.go")); !strings.HasPrefix(text, "package "+c.want+"\n") {
				t.Errorf("it writes\n%s", text)
			}
		})
	}
}

// contract 1.90
func TestRuleNewOverwritesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, existing := range []string{"a-b.go", "a-b_test.go"} {
		write(t, existing, "package rules")
		code, _, reported := called(t, "rule", "new", "a.b")
		if code != codeFailed || !strings.Contains(reported, existing+" exists") {
			t.Errorf("beside %s it ends with %d and reports %s", existing, code, reported)
		}
		if entries, err := os.ReadDir("."); err != nil || len(entries) != 1 || content(t, existing) != "package rules" {
			t.Errorf("beside %s it leaves %v (%v)", existing, entries, err)
		}
		if err := os.Remove(existing); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "all.go", "package rules\n\ntype (\n\tother string\n\tAB struct{}\n)\n")
	code, _, reported := called(t, "rule", "new", "a-b")
	if code != codeFailed || !strings.Contains(reported, "all.go declares AB already") {
		t.Errorf("beside the type it ends with %d and reports %s", code, reported)
	}
}

func TestRuleNewReportsWhatItCannotRead(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, reported := called(t, "rule", "new", "x", "--dir", "missing"); code != codeFailed || !strings.Contains(reported, "missing") {
		t.Errorf("without the folder it ends with %d and reports %s", code, reported)
	}
	write(t, "broken.go", "package {")
	if code, _, reported := called(t, "rule", "new", "x"); code != codeFailed || !strings.Contains(reported, "broken.go:1:9") {
		t.Errorf("beside a file with an error it ends with %d and reports %s", code, reported)
	}
}

func TestRuleSubjectsAreTheResourcesWithRules(t *testing.T) {
	for resource := range subjects {
		if !slices.Contains(ruledef.Resources, resource) {
			t.Errorf("%s has no rules", resource)
		}
	}
	if len(subjects) != len(ruledef.Resources) {
		t.Errorf("%d of %d resources with rules have skeletons", len(subjects), len(ruledef.Resources))
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
