package model_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// zoneless is a pool whose connections are in another zone than the database.
func zoneless(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	return pgtest.Pool(t, url+"&timezone=America/Adak")
}

// logged is a log that can be read while it is written.
type logged struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// keep runs a keeper until end is called, which says how long that took.
func (c company) keep(log *logged) (end func() time.Duration) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.T.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		pgsummary.NewKeeper(c.Pool, slog.New(slog.NewTextHandler(log, nil))).Run(ctx)
	}()
	return func() time.Duration {
		started := time.Now()
		cancel()
		<-ended
		return time.Since(started)
	}
}

// becomes waits until the query has the answer.
func (c company) becomes(what, sql string, want int64) {
	c.T.Helper()
	for end := time.Now().Add(15 * time.Second); c.Number(sql) != want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			c.T.Fatalf("%s: %d, want %d", what, c.Number(sql), want)
		}
	}
}

func TestTwoKeepersFoldWhatIsWritten(t *testing.T) {
	t.Parallel()
	c := found(t)
	var log logged
	keepers := []func() time.Duration{c.keep(&log), c.keep(&log)}
	first := c.Number("select oldest_open_batch from read_model_state")
	c.Write(8, 0, func() {
		for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
			if !c.Agrees("while keepers run") {
				return
			}
		}
		if now := c.Number("select oldest_open_batch from read_model_state"); now < first+3 {
			t.Errorf("in 3 s of writing the batches from %d to %d were folded", first, now)
		}
	})
	c.becomes("rows left to fold", noted, 0)
	for _, end := range keepers {
		if took := end(); took > time.Second {
			t.Errorf("a keeper has taken %s to end", took)
		}
	}
	c.Agrees("at the end")
	if log.String() != "" {
		t.Errorf("the keepers say\n%s", &log)
	}
}

func TestAKeeperFilesNewTexts(t *testing.T) {
	t.Parallel()
	c := found(t)
	c.Execute("create extension pgstattuple")
	const gathered = "select pending_tuples from pgstatginindex('invoice_search_by_text')"
	c.issue(1)
	if c.Number(gathered) == 0 {
		t.Fatal("the database files texts by itself")
	}
	var log logged
	end := c.keep(&log)
	defer end()
	c.becomes("texts that are gathered", gathered, 0)
}

func TestAKeeperRebuildsWhatIsNotReady(t *testing.T) {
	t.Parallel()
	c := found(t)
	c.Writer(8).Steps(50)
	c.Execute("update read_model_state set lists_ready = false, search_ready = false")
	c.Execute("delete from client_totals")
	c.Execute("delete from client_search")
	var log logged
	end := c.keep(&log)
	c.becomes("models that are ready", "select count(*) from read_model_state where lists_ready and search_ready", 1)
	end()
	c.Agrees("rebuilt")
	if strings.Count(log.String(), "read models rebuilt") != 2 {
		t.Errorf("the keeper says\n%s", &log)
	}
}

func TestAKeeperSaysOnceWhatIsWrongAndGoesOn(t *testing.T) {
	t.Parallel()
	c := found(t)
	c.Execute("alter table read_model_state rename to hidden")
	var log logged
	end := c.keep(&log)
	defer end()
	for limit := time.Now().Add(15 * time.Second); !strings.Contains(log.String(), "not kept up"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the keeper says nothing")
		}
	}
	time.Sleep(6 * time.Second) // another try, at least
	if n := strings.Count(log.String(), "not kept up"); n != 1 {
		t.Errorf("the keeper says %d times what is wrong:\n%s", n, &log)
	}
	c.Execute("alter table hidden rename to read_model_state")
	c.becomes("rows left to fold", noted, 0)
	c.Agrees("when it goes on")
	if !strings.Contains(log.String(), "kept up again") {
		t.Errorf("the keeper does not say that all is well:\n%s", &log)
	}
}
