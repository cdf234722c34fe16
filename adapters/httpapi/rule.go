package httpapi

import (
	"context"
	"net/http"

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
		body:    fieldsOf(ruleAttributes),
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
	a.Mode = in.oneOf("mode", ruledef.Modes, "`off`: the rule is not evaluated; `shadow`: violations are counted, and the change passes; "+
		"`warn`: the caller is warned too; `enforce`: the change is refused. Default `shadow`.", notNull)
	return a
}

// triedAttributes reads what matters to a trial.
func triedAttributes(in *input) ruledef.Attributes {
	return ruledef.Attributes{
		Name:     in.pattern("name", "^[a-z0-9._-]{1,64}$", "no-credit", "The unique name of the rule, which refusals show.", required),
		Resource: in.oneOf("resource", ruledef.Resources, "The records whose changes the rule judges.", required),
		On:       in.texts(in.field("on", ruleChanges, "The changes that the rule judges: `create`, `update`, `delete`.", required)),
		Variables: listOf(in, apidoc.Field{Name: "variables", As: "RuleVariable",
			About: "Intermediate values: `variables.total` in the expression, the message and later variables is the value of the " +
				"variable `total`. Each is evaluated if it is needed, and once for each change. At most 20.",
		}, "variable", ruleVariable),
		Expression: in.requiredText("expression", ruledef.MaxExpression, "In CEL; true lets the change pass. Null for a compiled rule."),
		Message:    in.requiredText("message", ruledef.MaxMessage, "What a refusal says: a text, or an expression in CEL after `=`."),
		Field:      in.textField("field", ruledef.MaxField, "The field that a refusal names; null if it refuses the record as a whole."),
		Forbidden: in.boolean(in.field("forbidden", apidoc.Bool,
			"Whether a refusal is a 403, of a permission, in place of a 422. Default false.")),
	}
}

func ruleVariable(in *input) ruledef.Variable {
	return ruledef.Variable{
		Name:       in.pattern("name", "^[a-zA-Z_][a-zA-Z0-9_]{0,63}$", "total", "An identifier of CEL, unique in the rule.", required).Or(""),
		Expression: in.requiredText("expression", ruledef.MaxExpression, "In CEL, of any type.").Or(""),
	}
}

var ruleChanges = apidoc.TextsIn(apidoc.OneOf("create", "update", "delete"))

var ruleDocs = apidoc.Docs{
	Description: "Rules judge changes of records. Those of the source `typed` are written here, as an expression in CEL; those of " +
		"the source `program` are compiled into the program and listed here too. Only an admin may write rules. A change of a rule " +
		"applies to every write that begins after its response.",
	Operations: map[apidoc.Verb]string{
		apidoc.Update: "Of a compiled rule, only `mode` can be changed, and only if the rule allows it; otherwise 422.",
		apidoc.Delete: "Its violations are deleted too. A rule that is compiled into the program cannot be deleted: 409.",
	},
	Attributes: apidoc.Attributes{
		"source":       "`typed` or `program`.",
		"would_refuse": "How many changes the rule would have refused in the mode `enforce`, deleted violations included.",
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
