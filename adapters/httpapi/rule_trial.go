package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// RuleTrials returns the routes of the trials of rules.
func RuleTrials(trials *command.Trials) Resource {
	r := endpoint[readmodel.NoFilter]{
		path:   "rule-trial",
		table:  readmodel.RuleTrials,
		format: jsonFormat,
		record: "RuleTrial",
		docs:   &ruleTrialDocs,
		body:   append(fieldsOf(triedAttributes), fieldsOf(triedRole)...),
		echoes: readmodel.Rules.Attributes,
	}
	ofRule := r
	ofRule.path = "rule"
	unsaved := func(_ *call, a ruledef.Attributes) (command.TriedRule, error) { return trials.Unsaved(a) }
	stored := func(c *call, a ruledef.Attributes) (command.TriedRule, error) {
		return trials.Numbered(c, ruledef.ID(c.id), a)
	}
	return Resource{
		r.action(http.MethodPost, "", apidoc.Create, &trial, r.try(trials, unsaved)),
		ofRule.action(http.MethodPost, "/:id/trial", apidoc.Create, &storedTrial, r.try(trials, stored)),
	}
}

// try answers with a trial, which judges as if the actor had the role in the body.
func (r endpoint[F]) try(trials *command.Trials, candidate func(c *call, a ruledef.Attributes) (command.TriedRule, error)) handler {
	return func(c *call) (*response, error) {
		selection, err := r.recordSelection(c)
		if err != nil {
			return nil, err
		}
		in := &input{Value: c.body, request: c.request()}
		a, as := triedAttributes(in), triedRole(in)
		tried, found, err := trials.Answer(c, in.request, as, func() (command.TriedRule, error) { return candidate(c, a) })
		if err != nil {
			return nil, err
		}
		rows := rowsOfTrial(tried.Rule, as, found, selection)
		return &response{rows: rows, selection: selection, isUntagged: true, isDryRun: in.request.DryRun}, nil
	}
}

// triedRole reads the role as which a trial judges.
func triedRole(in *input) user.Role {
	name := in.field("as", triedRoles,
		"The role of the user as whom the trial judges, `actor.role` in the expression. Default `manager`.")
	return parsed(in, name, func(name string) (role user.Role, err error) {
		if role, err = user.ParseRole(name); err != nil {
			err = errors.New("must be admin, manager or viewer")
		}
		return role, err
	}).Or(user.Manager)
}

var triedRoles = apidoc.OneOf("admin", "manager", "viewer")

func rowsOfTrial(r ruledef.State, as user.Role, f ruledef.TrialResult, s *readmodel.Selection) *readmodel.Rows {
	number := func(n int64) []byte { return strconv.AppendInt(nil, n, 10) }
	cells := map[string][]byte{
		"name": []byte(r.Name), "resource": []byte(r.Resource), "on": []byte(strings.Join(r.On.Names(), ",")), "as": []byte(as.String()),
		"forbidden": []byte(strconv.FormatBool(r.Forbidden)[:1]),
		"passed":    number(f.Passed), "refused": number(f.Refused), "failed": number(f.Failed),
	}
	lists := map[string][]ruledef.Refusal{"refusals": f.Refusals, "failures": f.Failures}
	rows := readmodel.NewRows(len(s.Paths))
	rows.Total = 1
	for i, path := range s.Paths {
		if s.Lists[i] == nil {
			rows.Append(cells[path])
			continue
		}
		list := readmodel.NewRows(len(s.Lists[i].Paths))
		for _, found := range lists[path] {
			finding := map[string][]byte{"record_id": number(found.RecordID), "message": []byte(found.Message)}
			for _, part := range s.Lists[i].Paths {
				list.Append(finding[part])
			}
		}
		rows.AppendList(list)
	}
	return rows
}

var ruleTrialDocs = apidoc.Docs{
	Description: "Trials judge all stored records by a rule, stored or not, and change nothing. They show what the rule would refuse.",
	Attributes: apidoc.Attributes{
		"name":     "The name of the rule.",
		"resource": "The records that the rule judges.",
		"on": "The changes that the rule judges. The records are judged as if they were updated, if the rule judges updates; " +
			"else as if they were created, or deleted.",
		"passed":   "How many records pass.",
		"refused":  "How many records the rule refuses.",
		"failed":   "For how many records the rule cannot be evaluated.",
		"refusals": "The first 100 records that the rule refuses, by id.",
		"failures": "The first 100 records for which the rule cannot be evaluated, by id.",
	},
	Embedded: map[string]apidoc.Attributes{
		"RuleFinding": {
			"record_id": "The record.",
			"message":   "What a refusal says, or why the rule cannot be evaluated.",
		},
	},
}

const trialBounds = "Nothing is changed. The response comes when the trial has ended. One that would take longer than a request may is a " +
	"503, whose `detail` names the command to use instead."

var trial = apidoc.Action{
	ID: "tryRule", Summary: "Try a rule that is not stored",
	Does:       "Judges all existing records by the rule in the body, which has the attributes of a creation. " + trialBounds,
	Parameters: []string{"Prefer", "dry_run"},
	Headers:    []string{"Preference-Applied"},
	Problems:   []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity},
	Body: &apidoc.Body{
		Suffix: "New", Required: true, Description: "The attributes of the rule.", Summary: "A rule to try",
		Example: `{"name":"no-credit","resource":"deal","on":["create","update"],"expression":"size(after.name) <= 20",` +
			`"message":"a deal needs a name","field":"name"}`,
	},
}

var storedTrial = apidoc.Action{
	ID: "tryStoredRule", Summary: "Try a stored rule",
	Does: "Judges all existing records by the stored rule; the attributes in the body replace those of the rule in this trial only. " +
		trialBounds,
	Parameters: trial.Parameters,
	Headers:    trial.Headers,
	Problems:   append(slices.Clip(trial.Problems), http.StatusNotFound, http.StatusConflict),
	Body: &apidoc.Body{
		Suffix: "Changes", Partial: true, Description: "The attributes that differ from those of the stored rule; the body may be empty.",
		Summary: "With another expression", Example: `{"expression":"size(after.name) <= 20"}`,
	},
}
