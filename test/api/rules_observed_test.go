package api_test

import (
	"slices"
	"strings"
	"testing"
)

// withTwoRulesPerMode is a service whose rules judge clients: the first of each mode refuses what has
// the mode in its name, and the second lets everything pass.
func withTwoRulesPerMode(t *testing.T) *service {
	t.Helper()
	s := start(t, withMetrics)
	for _, mode := range []string{"off", "shadow", "warn", "enforce"} {
		s.execute(`
insert into rules (name, resource, operations, expression, message, field, mode, source, created_at, updated_at)
values ($1::text || '-first', 'client', 7, '!(after == null ? before : after).name.contains("' || $1 || '")', $1 || ': “no”', 'name', $1, 'typed', now(), now()),
    ($1 || '-second', 'client', 7, 'true', 'no', null, $1, 'typed', now(), now())`, mode)
	}
	s.execute("update rule_set set version = version + 1")
	return s
}

const warned = "warn-first"

// contract 12.40, 12.44, 12.85
func TestRulesOfAllModesSayWhatTheyWouldRefuse(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "it has no compiled rules here")
	s := withTwoRulesPerMode(t)
	manager := s.as("manager")
	client := func(name string) fields { return fields{"type": 1, "name": name} }
	warns := func(r *reply, want ...string) {
		t.Helper()
		if got := r.header.Values("Kontor-Warning"); !slices.Equal(got, want) {
			t.Errorf("%s: the warnings are %q, want %q", r.what, got, want)
		}
	}
	once := manager.with("Idempotency-Key", "once")
	first := once.post("/rest/client", client("off shadow warn")).wants(200)
	warns(first, warned)
	replay := once.post("/rest/client", client("off shadow warn")).wants(200)
	warns(replay, warned)
	if !replay.isReplayed() {
		t.Error("the second creation is not replayed")
	}
	warns(manager.post("/rest/client", client("enforce warn")).wants(422))
	path := "/rest/client/" + first.id()
	warns(manager.with("Accept", "application/xml").patch(path, fields{"name": "shadow warn"}).wants(200), warned)
	warns(manager.patch(path, fields{"name": "shadow"}).wants(200))
	warns(manager.patch(path, fields{"name": "warn"}).wants(200), warned)
	warns(manager.delete(path).wants(200), warned)

	const want = `{"name":"shadow-first","would_refuse":3},{"name":"shadow-second","would_refuse":0},{"name":"warn-first","would_refuse":4},{"name":"warn-second","would_refuse":0}`
	if got := manager.get("/rest/rule?source=typed&sort=name&fields=name,would_refuse").wants(200).body; !strings.Contains(got, want) {
		t.Errorf("the counts are %s, want %s in them", got, want)
	}
	metrics := s.metrics()
	for series, want := range map[string]float64{
		`kontor_rule_verdicts_total{mode="enforce",outcome="refused",rule="enforce-first"}`:            1,
		`kontor_rule_verdicts_total{mode="warn",outcome="refused",rule="warn-first"}`:                  5,
		`kontor_rule_verdicts_total{mode="shadow",outcome="passed",rule="shadow-second"}`:              6,
		`kontor_rule_verdicts_total{mode="enforce",outcome="passed",rule="client-stays-with-manager"}`: 6,
	} {
		if got := metrics[series]; got != want {
			t.Errorf("%s is %v, want %v", series, got, want)
		}
	}
	if metrics[`kontor_rule_seconds_total{rule="warn-first"}`] <= 0 {
		t.Error("a rule takes no time")
	}
}

func TestSpanNamesTheRulesThatRefuse(t *testing.T) {
	r := tracing(t)
	s := withTwoRulesPerMode(t)
	s.as("manager").post("/rest/client", fields{"type": 1, "name": "warn enforce off"}).wants(422)
	if of, _ := r.request("POST /rest/client"); of.said["kontor.rules"] != "enforce-first,warn-first" {
		t.Errorf("the span names the rules %q", of.said["kontor.rules"])
	}
}
