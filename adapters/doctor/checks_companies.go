package doctor

import (
	"context"
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcompany"
	"github.com/kontor-crm/kontor/ports/company"
)

// companies finds companies that are not complete, or not migrated. Without companies it has
// no finding.
func (e *Examination) companies(ctx context.Context) (Finding, error) {
	l, err := pgcompany.NewCatalogue(e.pool).List(ctx)
	if err != nil || len(l.Companies) == 0 {
		return Finding{}, err
	}
	e.hasCompanies = true
	var unfinished, behind []string
	for _, c := range l.Companies {
		switch {
		case c.State == company.Adding, c.State == company.Removing:
			unfinished = append(unfinished, c.Name+" ("+string(c.State)+")")
		case c.Migration < postgres.Version:
			behind = append(behind, c.Name)
		}
	}
	switch {
	case len(behind) > 0:
		return fine("%d of %d are not migrated, and their requests are rejected: %s", len(behind), len(l.Companies), firstOf(behind)).
			hint(Fail, "kontor migrate up"), nil
	case len(unfinished) > 0:
		return fine("%d of %d are not complete: %s", len(unfinished), len(l.Companies), firstOf(unfinished)).
			hint(Warn, "unless a command for them is running: finish with kontor company add NAME those that are adding, "+
				"and with kontor company remove NAME --really those that are removing, or that nobody needs"), nil
	}
	return fine("%d, all complete", len(l.Companies)), nil
}

func firstOf(names []string) string {
	const shown = 10
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:shown], ", ") + " and others"
}
