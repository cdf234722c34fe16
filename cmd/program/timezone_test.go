package program

import (
	"strings"
	"testing"
)

func TestTimezoneSetRequiresOneZoneName(t *testing.T) { // contract 1.33
	for arguments, want := range map[string]string{
		"":                  "one time zone is required",
		"UTC Europe/Berlin": "one time zone is required",
		"Mars/Olympus":      `"Mars/Olympus" is not an IANA time zone`,
		"Local":             `"Local" is not an IANA time zone`,
	} {
		command := append([]string{"kontor", "timezone", "set"}, strings.Fields(arguments)...)
		if err := newCommand().Run(t.Context(), command); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("kontor timezone set %s: %v, want an error that says %s", arguments, err, want)
		}
	}
}
