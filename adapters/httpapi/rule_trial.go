package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/application/trial"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

const trialPath = "rule-trial"

// RuleTrials returns the routes of the trials of rules.
func RuleTrials(list readmodel.Reader[readmodel.RuleTrialFilter], reader *query.RuleTrials, commands *trial.Trials) Resource {
	trials := resource[readmodel.RuleTrialFilter]{
		path:   trialPath,
		table:  readmodel.RuleTrialList,
		reader: list,
		format: jsonFormat,
		filter: func(p *params) readmodel.RuleTrialFilter {
			return readmodel.RuleTrialFilter{RuleID: idParam[ruledef.ID](p, "rule_id")}
		},
		record: "RuleTrialSummary",
		docs:   &ruleTrialDocs,
	}
	r := resource[readmodel.NoFilter]{
		path:     trialPath,
		table:    readmodel.RuleTrials,
		format:   jsonFormat,
		record:   "RuleTrial",
		docs:     &ruleTrialDocs,
		body:     triedFields,
		statuses: map[apidoc.Verb][]int{apidoc.TryStored: {http.StatusNotFound, http.StatusConflict}},
	}
	tryNew := r.try(reader, func(ctx context.Context, in *input, _ int64) (ruledef.Trial, error) {
		a := triedAttributes(in)
		return commands.TryNew(ctx, in.request, a)
	})
	tryStored := r.try(reader, func(ctx context.Context, in *input, id int64) (ruledef.Trial, error) {
		a := triedAttributes(in)
		return commands.TryStored(ctx, in.request, ruledef.ID(id), a)
	})
	ofRule := r
	ofRule.path = "rule"
	return Resource{
		trials.route(http.MethodGet, "", apidoc.List, trials.list),
		r.route(http.MethodPost, "", apidoc.Try, tryNew),
		ofRule.route(http.MethodPost, "/:id/trial", apidoc.TryStored, tryStored),
		r.route(http.MethodGet, "/:id", apidoc.Read, r.read(reader)),
		r.route(http.MethodDelete, "/:id", apidoc.Delete, r.remove(writes{
			remove: func(ctx context.Context, request command.Request, id int64) error {
				return commands.Remove(ctx, request, ruledef.TrialID(id))
			},
		})),
	}
}

func (r resource[F]) try(shown *query.RuleTrials, start func(ctx context.Context, in *input, id int64) (ruledef.Trial, error)) handler {
	return func(c *call) (*response, error) {
		selection, err := r.recordSelection(c)
		if err != nil {
			return nil, err
		}
		in := &input{Value: c.body, request: c.request()}
		t, err := start(c, in, c.id)
		if err != nil {
			return nil, err
		}
		rows, err := shown.Rows(t, selection)
		if err != nil {
			return nil, err
		}
		a := &response{rows: rows, selection: selection, isDryRun: in.request.DryRun}
		if !a.isDryRun {
			a.location = c.api.base(c.http) + "/rest/" + trialPath + "/" + strconv.FormatInt(int64(t.ID), 10)
		}
		return a, nil
	}
}

var ruleTrialDocs = apidoc.Docs{
	Description: "Trials judge all stored records by a rule, stored or not, and change nothing. They show what the rule would refuse.",
	Operations: map[apidoc.Verb]string{
		apidoc.List:   "The list has the trials of the last week, the latest first, without the records that they found.",
		apidoc.Read:   "While the trial runs, its counts and lists grow, and `percent` estimates the progress. A trial can be read for a week.",
		apidoc.Delete: "Deleting a running trial cancels it. Only an admin may delete trials.",
	},
	Attributes: apidoc.Attributes{
		"rule_id":  "The rule; null if it is not stored.",
		"name":     "The name of the rule.",
		"resource": "The records that the rule judges.",
		"on": "The changes that the rule judges. The records are judged as if they were updated, if the rule judges updates; " +
			"else as if they were created, or deleted.",
		"expression": "The expression, as it is tried; null for a compiled rule.",
		"message":    "What a refusal says; null for a compiled rule.",
		"field":      "The field that a refusal names.",
		"user_id":    "The user who tries the rule.",
		"state":      "`running`, `done`, or `failed`.",
		"error":      "Why the trial failed; null if it did not.",
		"percent":    "The progress of the trial in percent; 100 if and only if it is done.",
		"passed":     "How many records pass.",
		"refused":    "How many records the rule refuses.",
		"failed":     "For how many records the rule cannot be evaluated.",
		"refusals":   "The first 100 records that the rule refuses, by id.",
		"failures":   "The first 100 records for which the rule cannot be evaluated, by id.",
		"started_at": "When the trial began.",
		"ended_at":   "When the trial ended; null while it runs.",
	},
	Embedded: map[string]apidoc.Attributes{
		"RuleFinding": {
			"record_id": "The record.",
			"message":   "What a refusal says, or why the rule cannot be evaluated.",
		},
	},
	Create: `{"name":"no-credit","resource":"deal","on":["create","update"],"expression":"size(after.name) <= 20",` +
		`"message":"a deal needs a name","field":"name"}`,
	Change: `{"expression":"size(after.name) <= 20"}`,
}
