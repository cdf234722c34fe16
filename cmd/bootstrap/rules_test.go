package bootstrap

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func logTo(w *strings.Builder) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// contract 12.12
func TestRegistrationIsRepeatedUntilTheDatabaseAnswers(t *testing.T) {
	var log strings.Builder
	attempts, succeeded := 0, make(chan struct{})
	r := registration{log: logTo(&log), wait: time.Hour, register: func(context.Context) error {
		if attempts++; attempts < 4 {
			return errors.New("no answer")
		}
		close(succeeded)
		return nil
	}}
	stop := r.start(t.Context())
	<-succeeded
	stop()
	if attempts != 4 || strings.Count(log.String(), "no answer") != 1 {
		t.Errorf("after %d attempts the log has %s", attempts, log.String())
	}
}

// contract 12.12
func TestRegistrationDoesNotHoldUpTheStart(t *testing.T) {
	var log strings.Builder
	stop := registration{log: logTo(&log), register: func(ctx context.Context) error {
		<-ctx.Done() // a database that does not respond
		return ctx.Err()
	}}.start(t.Context())
	stop()
	if log.Len() > 0 {
		t.Errorf("the log has %s", log.String())
	}
}
