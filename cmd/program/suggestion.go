package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/domain/text"
)

// suggestNear replaces the suggestions of the CLI library, which are the most similar name, however
// different that is.
func suggestNear() { cli.SuggestCommand = suggestCommand }

func suggestCommand(commands []*cli.Command, given string) string {
	var names []string
	for _, command := range commands {
		names = append(names, command.Names()...)
	}
	return meant(given, names)
}

// synonyms are words of other programs, and what they may be called here.
var synonyms = map[string][]string{
	"create": {"add", "issue"}, "new": {"add", "issue"}, "insert": {"add"},
	"delete": {"remove", "revoke", "disable"}, "remove": {"revoke", "disable"}, "rm": {"remove", "revoke", "disable"},
	"ls": {"list"}, "show": {"list"}, "start": {"serve"}, "run": {"serve", "up"}, "server": {"serve"}, "check": {"doctor", "verify"},
	"port": {"listen"}, "p": {"listen"}, "host": {"listen"}, "addr": {"listen"}, "address": {"listen"}, "bind": {"listen"},
	"database": {"database-url"}, "db": {"database-url"}, "dsn": {"database-url"}, "url": {"database-url", "base-url"},
	"name": {"username"}, "user": {"username"}, "username": {"user"}, "login": {"username", "user"},
	"json": {"output"}, "format": {"output"}, "expires": {"ttl"}, "tz": {"timezone"}, "admin": {"role"}, "force": {"really"},
}

// meant returns which of the names is probably meant by a word that is none of them; "" if there is none.
func meant(given string, names []string) string {
	for _, name := range synonyms[given] {
		if slices.Contains(names, name) {
			return name
		}
	}
	return text.Nearest(given, names)
}

func suggestFlag(flags []cli.Flag, given string) string {
	var names []string
	for _, flag := range flags {
		names = append(names, flag.Names()...)
	}
	if name := meant(given, names); name != "" {
		return "--" + name
	}
	return ""
}

// unknownVariables returns a sentence for each variable of the environment that is named like a
// setting, but is none of the program or of its tests.
func unknownVariables(root *cli.Command, environment []string) (unknown []string) {
	var known []string
	_ = root.Walk(func(cmd *cli.Command) error {
		for _, flag := range cmd.Flags {
			if f, ok := flag.(cli.DocGenerationFlag); ok {
				known = append(known, f.GetEnvVars()...)
			}
		}
		return nil
	})
	for _, variable := range slices.Sorted(slices.Values(environment)) {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "KONTOR_") || strings.HasPrefix(name, "KONTOR_TEST_") || slices.Contains(known, name) {
			continue
		}
		sentence := name + " is not a setting of Kontor"
		if meant := text.Nearest(name, known); meant != "" {
			sentence += fmt.Sprintf("; did you mean %s?", meant)
		}
		unknown = append(unknown, sentence)
	}
	return unknown
}
