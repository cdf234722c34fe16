package program

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// shipped returns the content of a file of the repository.
func shipped(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Settings of compose.yaml alone.
var ofCompose = []string{"KONTOR_DATABASE_PASSWORD", "KONTOR_PORT", "KONTOR_VERSION"}

// contract 1.19
func TestShippedSettingsExist(t *testing.T) {
	name := regexp.MustCompile(`\bKONTOR_[A-Z_]+`)
	known := slices.Concat(ofCompose, []string{"KONTOR_PROXY_PORT", "KONTOR_PROXY_SUBNET"}, name.FindAllString(printed(t, "serve", "--help"), -1))
	for _, file := range []string{
		"Dockerfile", "compose.yaml", "deploy/instances.yaml", "deploy/citus.yaml", "deploy/kontor.env", "deploy/kontor.service",
		"docs/operations.md", "docs/performance.md",
	} {
		named := name.FindAllString(shipped(t, file), -1)
		if len(named) == 0 {
			t.Errorf("%s contains no setting", file)
		}
		for _, setting := range named {
			if !slices.Contains(known, setting) {
				t.Errorf("%s: the service has no setting %s", file, setting)
			}
		}
	}
	for _, setting := range ofCompose {
		if !strings.Contains(shipped(t, "compose.yaml"), "${"+setting+":") {
			t.Errorf("compose.yaml does not read %s", setting)
		}
	}
}

// contract 1.23
func TestComposePassesTheTrustedProxies(t *testing.T) {
	if got := shippedValue(t, "compose.yaml", "KONTOR_TRUSTED_PROXIES"); got != "${KONTOR_TRUSTED_PROXIES:-}" {
		t.Errorf("compose.yaml has the trusted proxies %s", got)
	}
}

// shippedValue returns the value of a key that a file contains once.
func shippedValue(t *testing.T, file, key string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^ *`+key+`[=:] *(.*)$`).FindAllStringSubmatch(shipped(t, file), -1)
	if len(found) != 1 {
		t.Fatalf("%s contains %s %d times, want once", file, key, len(found))
	}
	return found[0][1]
}

// The maximum time for stopping a private PostgreSQL.
const privateStop = 30 * time.Second

// The maximum time for aborted requests to respond.
const lastWords = 2 * time.Second

// contract 1.35, 1.19, 11.8
func TestStopTimeoutsCoverShutdown(t *testing.T) {
	seconds := func(text string) time.Duration {
		d, err := time.ParseDuration(strings.TrimSuffix(text, "s") + "s")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	grace := lastWords
	for _, flag := range []string{"drain-delay", "shutdown-timeout"} {
		found := regexp.MustCompile(`--` + flag + ` .*\(default: (\d+s)\)`).FindStringSubmatch(printed(t, "serve", "--help"))
		if found == nil {
			t.Fatalf("kontor serve --help shows no default of --%s", flag)
		}
		grace += seconds(found[1])
	}
	if stop := seconds(shippedValue(t, "deploy/kontor.service", "TimeoutStopSec")); stop < grace+privateStop {
		t.Errorf("systemd kills the service after %s, want at least %s", stop, grace+privateStop)
	}
	kontor, _, _ := strings.Cut(shipped(t, "compose.yaml"), "\n  postgres:\n")
	stop := regexp.MustCompile(`stop_grace_period: (\d+s)`).FindStringSubmatch(kontor)
	if len(stop) != 2 || seconds(stop[1]) <= grace {
		t.Errorf("Docker kills the service after %v, want more than %s", stop, grace)
	}
	// A private PostgreSQL would react to the signal itself.
	if mode := shippedValue(t, "deploy/kontor.service", "KillMode"); mode != "mixed" {
		t.Errorf("systemd signals the processes by the mode %s, want mixed", mode)
	}
}

// Without a control group, Linux divides CPU time among the connections of PostgreSQL.
func TestUnitHasAControlGroupForTheProcessors(t *testing.T) {
	if weight := shippedValue(t, "deploy/kontor.service", "CPUWeight"); weight != "100" {
		t.Errorf("the unit has the weight %q, want the default, 100", weight)
	}
}

func TestImageOfPostgresHasADigest(t *testing.T) {
	_, postgres, _ := strings.Cut(shipped(t, "compose.yaml"), "\n  postgres:\n")
	if !regexp.MustCompile(`(?m)^    image: postgres:15\.\d+-bookworm@sha256:[0-9a-f]{64}$`).MatchString(postgres) {
		t.Errorf("compose.yaml has a PostgreSQL without a digest:\n%s", postgres)
	}
}

func TestSecretsAreNotShipped(t *testing.T) {
	password := regexp.MustCompile(`(?m)^ *\S*PASSWORD: +(.*)$`)
	for _, file := range []string{"compose.yaml", "deploy/citus.yaml"} {
		passwords := password.FindAllStringSubmatch(shipped(t, file), -1)
		if len(passwords) == 0 {
			t.Errorf("%s gives PostgreSQL no password", file)
		}
		for _, found := range passwords {
			if found[1] != "${KONTOR_DATABASE_PASSWORD:?is not set}" {
				t.Errorf("%s has the password %s", file, found[1])
			}
		}
	}
	if url := shippedValue(t, "compose.yaml", "KONTOR_DATABASE_URL"); !strings.HasPrefix(url, "postgres://kontor:${KONTOR_DATABASE_PASSWORD:?is not set}@") {
		t.Errorf("compose.yaml has the URL %s", url)
	}
}
