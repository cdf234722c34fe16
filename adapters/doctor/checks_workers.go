package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcompany"
)

type worker struct {
	address          string
	isActive         bool
	isSynced         bool // it has the metadata of the coordinator
	answers          bool
	failure          string // of a worker that does not answer
	unreached        string // why the service cannot connect to it; empty: it can, or need not
	walLevel         string
	prepared         int           // max_prepared_transactions
	statementTimeout time.Duration // 0: none
	companies        []string      // that have their tables there
}

// workers checks the version and the workers of Citus. Without Citus it has no finding.
func (e *Examination) workers(ctx context.Context) (Finding, error) {
	version, err := pgcompany.CitusVersion(ctx, e.pool)
	if err != nil || version == 0 {
		return Finding{}, err
	}
	if f := suitableCitus(version); f.State != OK {
		return f, nil
	}
	all, err := e.listWorkers(ctx)
	if err != nil {
		return Finding{}, err
	}
	if e.settings.CitusDirect {
		e.isDirect = len(all) > 0
		e.connect(ctx, all)
	}
	return judgeWorkers(all, version, e.settings.StatementTimeout), nil
}

func suitableCitus(version int) Finding {
	f := fine("Citus %d", version)
	if version < pgcompany.OldestCitus {
		return f.hint(Fail, "companies need Citus %d or later: install it on all nodes, and alter extension citus update", pgcompany.OldestCitus)
	}
	return f
}

// listWorkers asks the coordinator for its workers, and each of these for its settings.
func (e *Examination) listWorkers(ctx context.Context) (all []*worker, err error) {
	rows, err := e.pool.Query(ctx, `
select n.nodename, n.nodeport::text, n.isactive, n.metadatasynced, coalesce(r.success, false), coalesce(r.result, '')
from pg_dist_node n
left join run_command_on_workers(
    'select concat_ws('' '', current_setting(''wal_level''), current_setting(''max_prepared_transactions''), setting)
    from pg_settings
    where name = ''statement_timeout''') r using (nodename, nodeport)
where n.noderole = 'primary' and n.groupid <> 0
order by 1, 2`)
	if err != nil {
		return nil, err
	}
	at := map[string]*worker{}
	var w worker
	var host, port, answer string
	if _, err := pgx.ForEachRow(rows, []any{&host, &port, &w.isActive, &w.isSynced, &w.answers, &answer}, func() error {
		one := w
		one.address = net.JoinHostPort(host, port)
		at[one.address], all = &one, append(all, &one)
		return one.read(answer)
	}); err != nil {
		return nil, err
	}
	return all, e.addCompanies(ctx, at)
}

func (w *worker) read(answer string) error {
	if !w.answers {
		w.failure, _, _ = strings.Cut(answer, "\n")
		return nil
	}
	var ms int64
	if _, err := fmt.Sscan(answer, &w.walLevel, &w.prepared, &ms); err != nil {
		return fmt.Errorf("read the settings of a worker, %q: %w", answer, err)
	}
	w.statementTimeout = time.Duration(ms) * time.Millisecond
	return nil
}

// connect connects to the workers as the service does for reads.
func (e *Examination) connect(ctx context.Context, all []*worker) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	var tries sync.WaitGroup
	for _, w := range all {
		if !w.answers {
			continue
		}
		tries.Go(func() {
			if err := postgres.TryNode(ctx, e.settings.DatabaseURL, w.address); err != nil {
				w.unreached = strings.Join(strings.Fields(err.Error()), " ")
			}
		})
	}
	tries.Wait()
}

func (e *Examination) addCompanies(ctx context.Context, at map[string]*worker) error {
	nodes, err := pgcompany.Nodes(ctx, e.pool)
	if err != nil {
		return err
	}
	l, err := pgcompany.NewCatalogue(e.pool).List(ctx)
	if err != nil {
		return err
	}
	for _, c := range l.Companies {
		if w := at[nodes[c.Code]]; w != nil {
			w.companies = append(w.companies, c.Name)
		}
	}
	return nil
}

func judgeWorkers(all []*worker, version int, statementTimeout time.Duration) Finding {
	list := func(is func(*worker) bool) string {
		var found []string
		for _, w := range all {
			if is(w) {
				found = append(found, w.named())
			}
		}
		return strings.Join(found, "; ")
	}
	for _, problem := range []struct {
		is    func(*worker) bool
		state State
		found string
		hint  string
	}{
		{func(w *worker) bool { return !w.isActive && len(w.companies) > 0 }, Fail, "companies are on workers that are not active: ",
			"on the coordinator: select citus_activate_node('HOST', PORT)"},
		{func(w *worker) bool { return w.isActive && !w.answers }, Fail, "workers cannot be reached, and requests for their companies get a 503: ",
			"start them, or correct their addresses: select citus_update_node(NODE_ID, 'HOST', PORT)"},
		{func(w *worker) bool { return w.answers && w.prepared == 0 }, Fail, "companies cannot be added on workers without prepared transactions: ",
			"set max_prepared_transactions to 200 or more on the workers, and restart them"},
		{func(w *worker) bool {
			return w.answers && w.statementTimeout != 0 && w.statementTimeout < statementTimeout
		}, Warn,
			"workers have a shorter statement timeout than the service: ", "alter role NAME reset statement_timeout on the workers, for the role of Kontor"},
		{func(w *worker) bool { return w.isActive && !w.isSynced }, Warn, "workers lack the metadata of the coordinator, and companies cannot be added, moved, removed or migrated: ",
			"on the coordinator: select start_metadata_sync_to_all_nodes()"},
		{func(w *worker) bool { return w.answers && w.walLevel != "logical" }, Warn, "companies cannot be moved from or to workers without a logical log: ",
			"set wal_level = logical on the workers, and restart them"},
		{func(w *worker) bool { return !w.isActive }, Warn, "workers are not active, and get no companies: ",
			"on the coordinator: select citus_activate_node('HOST', PORT), or citus_remove_node('HOST', PORT)"},
		{func(w *worker) bool { return w.unreached != "" }, Warn,
			"workers cannot be reached directly, so that reads of their companies go through the coordinator: ",
			"let this machine connect to the workers, with the user of the database URL, or set --citus-direct=false (KONTOR_CITUS_DIRECT)"},
	} {
		if found := list(problem.is); found != "" {
			return fine("%s%s", problem.found, found).hint(problem.state, "%s", problem.hint)
		}
	}
	if len(all) == 0 {
		return fine("Citus %d without workers: companies are on the coordinator", version)
	}
	return fine("Citus %d, all %d are active", version, len(all))
}

// named returns the address, with the companies there and why it cannot be reached.
func (w *worker) named() string {
	text := w.address
	if len(w.companies) > 0 {
		text += " with " + firstOf(w.companies)
	}
	if why := cmp.Or(w.failure, w.unreached); why != "" {
		text += " (" + why + ")"
	}
	return text
}
