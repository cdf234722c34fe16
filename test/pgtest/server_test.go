package pgtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func gives(name string) starter {
	return func(context.Context) (server, error) {
		return server{name: name, url: "postgres://" + name, stop: leave}, nil
	}
}

func fails(err error) starter {
	return func(context.Context) (server, error) { return server{}, err }
}

func TestServerIsTheFirstAvailable(t *testing.T) {
	noImage := errors.New("no such image")
	tests := []struct {
		name             string
		given, givenName string
		container, local starter
		want             string
	}{
		{"the given one before Docker", "postgres://given", "", gives("docker"), gives("local"), "the server of KONTOR_TEST_DATABASE_URL"},
		{"the given one under its given name", "postgres://given", "a container", gives("docker"), gives("local"), "a container"},
		{"Docker before a local one", "", "", gives("docker"), gives("local"), "docker"},
		{"a local one without Docker, without a reason", "", "", fails(errNoDocker), gives("local"), "local"},
		{"a local one without the image, with the reason", "", "", fails(noImage), gives("local"), "local, as Docker failed: no such image"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := choose(t.Context(), test.given, test.givenName, test.container, test.local)
			if err != nil {
				t.Fatal(err)
			}
			if got.name != test.want {
				t.Errorf("the server is %q, want %q", got.name, test.want)
			}
			if test.given != "" && got.url != test.given {
				t.Errorf("its URL is %q, want %q", got.url, test.given)
			}
		})
	}
}

func TestMissingServerErrorNamesRemedies(t *testing.T) {
	_, err := choose(t.Context(), "", "", fails(errNoDocker), fails(errors.New("no initdb")))
	if err == nil {
		t.Fatal("no error without any server")
	}
	for _, part := range []string{"KONTOR_TEST_DATABASE_URL", "start Docker", "install PostgreSQL", "no initdb"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error %q does not say %q", err, part)
		}
	}
}

func TestServerIsAnnouncedAndAppendedToFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "servers")
	var out strings.Builder
	for _, name := range []string{"one", "two"} {
		if err := announce(&out, "PostgreSQL is "+name, file); err != nil {
			t.Fatal(err)
		}
	}
	if want := "pgtest: PostgreSQL is one\npgtest: PostgreSQL is two\n"; out.String() != want {
		t.Errorf("said %q, want %q", out.String(), want)
	}
	list, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := "PostgreSQL is one\nPostgreSQL is two\n"; string(list) != want {
		t.Errorf("the list is %q, want %q", list, want)
	}
}

func TestStepIsAbandonedAtItsTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		start := time.Now()
		_, err := within(t.Context(), time.Minute, func(context.Context) (int, error) {
			<-release // ignores its context
			return 0, nil
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v, want a deadline's", err)
		}
		if passed := time.Since(start); passed != time.Minute {
			t.Errorf("abandoned after %s, want 1m", passed)
		}
	})
}

func TestStepPanicIsAnError(t *testing.T) {
	_, err := within(t.Context(), time.Minute, func(context.Context) (int, error) { panic("half a Docker") })
	if err == nil || !strings.Contains(err.Error(), "half a Docker") {
		t.Errorf("the error is %v, want one with the panic's text", err)
	}
}
