package main

import (
	"strings"
	"testing"
)

func TestSettingTheTimeZoneTakesOneNameOfAZone(t *testing.T) { // contract 1.33
	for arguments, want := range map[string]string{
		"":                  "name one time zone",
		"UTC Europe/Berlin": "name one time zone",
		"Mars/Olympus":      `"Mars/Olympus" is no IANA time zone`,
		"Local":             `"Local" is no IANA time zone`,
	} {
		command := append([]string{"kontor", "timezone", "set"}, strings.Fields(arguments)...)
		if err := newCommand().Run(t.Context(), command); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("kontor timezone set %s: %v, want an error that says %s", arguments, err, want)
		}
	}
}
