package pgsummary_test

import (
	"strings"
	"testing"
)

func TestMaintainRebuildsWhatIsNotReady(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(8).Steps(50)
	c.Execute("update read_model_state set is_ready = false", "delete from client_totals", "delete from client_search")
	var log logged
	stop := c.runWorker(&log)
	c.becomes("ready read models", func() int64 {
		return c.Number("select count(*) from read_model_state where is_ready")
	}, 1)
	c.becomes("logged rebuilds", func() int64 { return int64(strings.Count(log.String(), "read models rebuilt")) }, 1)
	stop()
	c.Agrees("rebuilt")
}
