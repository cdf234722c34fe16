package httpapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Rules returns the rule resource with the violations of each.
func Rules(
	reader readmodel.Reader[readmodel.RuleFilter], violations readmodel.Reader[readmodel.RuleViolationFilter], commands *command.Rules,
) Resource {
	rules := endpoint[readmodel.RuleFilter]{
		path:    "rule",
		table:   readmodel.Rules,
		reader:  reader,
		format:  jsonFormat,
		filter:  ruleFilter,
		record:  "Rule",
		columns: "id,name,resource,on,mode,source,would_refuse",
		docs:    &ruleDocs,
		body:    ruleFields,
	}.writing(writesOf(commands, ruleAttributes))
	entries := endpoint[readmodel.RuleViolationFilter]{
		path:     "rule",
		table:    readmodel.RuleViolations,
		reader:   violations,
		format:   jsonFormat,
		record:   "RuleViolation",
		docs:     &ruleViolationDocs,
		statuses: map[apidoc.Verb][]int{apidoc.List: {http.StatusNotFound}},
		filter: func(p *params) readmodel.RuleViolationFilter {
			return readmodel.RuleViolationFilter{RuleID: ruledef.ID(p.id)}
		},
	}
	return append(rules,
		entries.route(http.MethodGet, "/:id/violations", apidoc.List, entries.list),
		entries.action(http.MethodDelete, "/:id/violations", apidoc.Delete, &apidoc.Action{
			ID: "deleteRuleViolations", Summary: "Delete all violations",
			Does: "Deletes all violations of the record in the path, and returns the id of that record. A deletion cannot be undone.\n\n" +
				"`would_refuse` of the rule stays as it is.",
			Succeeded: "The id of the record whose violations are deleted.",
			Headers:   []string{},
		}, entries.remove(writes{
			remove: func(ctx context.Context, r command.Request, id int64) error {
				return commands.DeleteViolations(ctx, r, ruledef.ID(id))
			},
		})),
	)
}

var ruleFields = append(slices.Clip(triedFields),
	apidoc.Field{Name: "mode", Schema: apidoc.OneOf(ruledef.Modes...), NotNull: true})

// triedFields are those that matter to a trial.
var triedFields = []apidoc.Field{
	{Name: "name", Schema: apidoc.Pattern("^[a-z0-9._-]{1,64}$", "no-credit"), Required: true},
	{Name: "resource", Schema: apidoc.OneOf(ruledef.Resources...), Required: true},
	{Name: "on", Schema: apidoc.TextsIn(apidoc.OneOf("create", "update", "delete")), Required: true},
	{Name: "variables", Schema: apidoc.Array, Line: []apidoc.Field{
		{Name: "name", Schema: apidoc.Pattern("^[a-zA-Z_][a-zA-Z0-9_]{0,63}$", "total"), Required: true},
		apidoc.RequiredText("expression", ruledef.MaxExpression),
	}, As: "RuleVariable"},
	apidoc.RequiredText("expression", ruledef.MaxExpression),
	apidoc.RequiredText("message", ruledef.MaxMessage),
	{Name: "field", Schema: apidoc.Text(ruledef.MaxField)},
	{Name: "forbidden", Schema: apidoc.Of(readmodel.Bool)},
}

func ruleFilter(p *params) readmodel.RuleFilter {
	return readmodel.RuleFilter{
		Name:     p.text("name"),
		Resource: p.textDescribed("resource", "Only rules for this resource."),
		Mode:     choice(p, "mode", ruledef.Modes, ruledef.ParseMode),
		Source:   choice(p, "source", []string{ruledef.Program.String(), ruledef.Typed.String()}, ruledef.ParseSource),
	}
}

func ruleAttributes(in *input) ruledef.Attributes {
	a := triedAttributes(in)
	a.Mode = in.text("mode")
	return a
}

func triedAttributes(in *input) ruledef.Attributes {
	return ruledef.Attributes{
		Name:     in.text("name"),
		Resource: in.text("resource"),
		On:       in.texts("on"),
		Variables: listOf(in, "variables", "variable", func(v *input) ruledef.Variable {
			return ruledef.Variable{Name: v.text("name").Or(""), Expression: v.text("expression").Or("")}
		}),
		Expression: in.text("expression"),
		Message:    in.text("message"),
		Field:      in.text("field"),
		Forbidden:  in.boolean("forbidden"),
	}
}

var ruleDocs = apidoc.Docs{
	Description: "Rules judge changes of records. Those of the source `typed` are written here, as an expression in CEL; those of " +
		"the source `program` are compiled into the program and listed here too. Only an admin may write rules. A change of a rule " +
		"applies to every write that begins after its response.",
	Operations: map[apidoc.Verb]string{
		apidoc.Update: "Of a compiled rule, only `mode` can be changed, and only if the rule allows it; otherwise 422.",
		apidoc.Delete: "Its violations are deleted too. A rule that is compiled into the program cannot be deleted: 409.",
	},
	Attributes: apidoc.Attributes{
		"name":     "The unique name of the rule, which refusals show.",
		"resource": "The records whose changes the rule judges.",
		"on":       "The changes that the rule judges: `create`, `update`, `delete`.",
		"variables": "Intermediate values: `variables.total` in the expression, the message and later variables is the value of the " +
			"variable `total`. Each is evaluated if it is needed, and once for each change. At most 20.",
		"expression": "In CEL; true lets the change pass. Null for a compiled rule.",
		"message":    "What a refusal says: a text, or an expression in CEL after `=`.",
		"field":      "The field that a refusal names; null if it refuses the record as a whole.",
		"forbidden":  "Whether a refusal is a 403, of a permission, in place of a 422. Default false.",
		"mode": "`off`: the rule is not evaluated; `shadow`: violations are counted, and the change passes; `warn`: the " +
			"caller is warned too; `enforce`: the change is refused. Default `shadow`.",
		"source":       "`typed` or `program`.",
		"would_refuse": "How many changes the rule would have refused in the mode `enforce`, deleted violations included.",
	},
	Embedded: map[string]apidoc.Attributes{
		"RuleVariable": {
			"name":       "An identifier of CEL, unique in the rule.",
			"expression": "In CEL, of any type.",
		},
	},
	Create: `{"name":"no-credit","resource":"deal","on":["create","update"],"expression":"after.name != \"\"",` +
		`"message":"a deal needs a name","field":"name"}`,
	Change: `{"mode":"enforce"}`,
}

var ruleViolationDocs = apidoc.Docs{
	Operations: map[apidoc.Verb]string{
		apidoc.List: "Violations are changes that the rule would have refused in the mode `enforce`, the latest first. A rule " +
			"that does not exist is a 404.",
	},
	Attributes: apidoc.Attributes{
		"record_id": "The record that was changed; null if it was to be created.",
		"user_id":   "The user who made the change; null for an operator at the command line.",
		"at":        "When the change was made.",
		"message":   "What the refusal would have said.",
	},
}
