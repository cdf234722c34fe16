package query

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/application/trial"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// RuleTrials reads trials of rules.
type RuleTrials struct {
	trials *trial.Trials
	zone   *time.Location
}

var _ Records = (*RuleTrials)(nil)

// NewRuleTrials returns a reader of trials, with times in the zone.
func NewRuleTrials(t *trial.Trials, zone *time.Location) *RuleTrials {
	return &RuleTrials{trials: t, zone: zone}
}

// Read returns the trial with the id, or a fault.NotFound.
func (x *RuleTrials) Read(ctx context.Context, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	t, err := x.trials.Read(ctx, ruledef.TrialID(id))
	if err != nil {
		return nil, err
	}
	return x.Rows(t, s)
}

// Rows returns the trial as a record. The id of a dry run is null.
func (x *RuleTrials) Rows(t ruledef.Trial, s *readmodel.Selection) (*readmodel.Rows, error) {
	record := x.cellsOf(t)
	if record.size()+sizeOf(t.Findings) > readmodel.MaxBytes {
		return nil, readmodel.ErrTooLarge
	}
	rows := readmodel.NewRows(len(s.Paths))
	rows.Total = 1
	for i, path := range s.Paths {
		switch path {
		case "refusals":
			rows.AppendList(findings(t.Findings.Refusals, s.Lists[i]))
		case "failures":
			rows.AppendList(findings(t.Findings.Failures, s.Lists[i]))
		default:
			rows.Append(record[path])
		}
	}
	return rows, nil
}

func (x *RuleTrials) cellsOf(t ruledef.Trial) cells {
	c := cells{
		"version":    number(trial.Version),
		"name":       []byte(t.Rule.Name),
		"resource":   []byte(t.Rule.Resource),
		"on":         []byte(strings.Join(t.Rule.On.Names(), ",")),
		"state":      []byte(t.State.String()),
		"percent":    number(t.Percent()),
		"passed":     number(t.Findings.Passed),
		"refused":    number(t.Findings.Refused),
		"failed":     number(t.Findings.Failed),
		"started_at": x.instant(t.StartedAt),
	}
	for name, id := range map[string]int64{"id": int64(t.ID), "rule_id": int64(t.Rule.ID), "user_id": int64(t.UserID)} {
		if id != 0 {
			c[name] = number(id)
		}
	}
	for name, text := range map[string]string{
		"expression": t.Rule.Expression, "message": t.Rule.Message, "field": t.Rule.Field, "error": t.Error,
	} {
		if text != "" {
			c[name] = []byte(text)
		}
	}
	if !t.EndedAt.IsZero() {
		c["ended_at"] = x.instant(t.EndedAt)
	}
	return c
}

func number[N int | int64](n N) []byte { return strconv.AppendInt(nil, int64(n), 10) }

func (x *RuleTrials) instant(t time.Time) []byte {
	return t.In(x.zone).AppendFormat(nil, time.DateTime)
}

func sizeOf(f ruledef.Findings) (bytes int) {
	for _, list := range [][]ruledef.Finding{f.Refusals, f.Failures} {
		for _, found := range list {
			bytes += len(found.Message)
		}
	}
	return bytes
}

func findings(list []ruledef.Finding, s *readmodel.Selection) *readmodel.Rows {
	rows := readmodel.NewRows(len(s.Paths))
	for _, f := range list {
		record := cells{"record_id": number(f.RecordID), "message": []byte(f.Message)}
		record.appendTo(rows, s, nil)
	}
	return rows
}
