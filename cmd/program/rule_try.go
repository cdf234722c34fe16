package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
)

func ruleTryCommand(c bootstrap.Config) *cli.Command {
	var out output
	var file, as string
	var on []string
	var limit time.Duration
	return &cli.Command{
		Name:      "try",
		Usage:     "try a rule on all existing records",
		ArgsUsage: "[name]",
		Description: "Judges every record of the rule's resource, in one snapshot of the database, as if a manager saved it unchanged, or\n" +
			"with --on create, created it. It changes nothing; the service may run. A rule that is compiled into this program can\n" +
			"be tried as well. --file tries a rule that is not saved: a JSON object with name, resource, on, variables,\n" +
			"expression, message, field and forbidden, as for POST /rest/rule. The exit code is 0 if all records pass, and 3 if not.",
		Flags: append(c.RecordFlags(), out.flag(),
			&cli.StringFlag{Name: "file", Destination: &file, Usage: "`file` (JSON) with a rule that is not saved; - is the standard input"},
			&cli.StringSliceFlag{
				Name: "on", Destination: &on, Usage: "`operations` of a stored rule that are tried instead of its own: create, update, delete",
			},
			&cli.StringFlag{
				Name: "as", Destination: &as, Value: user.Manager.String(), Usage: "`role` as which the trial judges: admin, manager, viewer",
			},
			&cli.DurationFlag{
				Name: "timeout", Destination: &limit, Value: 10 * time.Minute,
				Usage: "longest `time` of the trial: its snapshot keeps the database from removing deleted rows",
			}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			name := cmd.Args().First()
			if cmd.Args().Len() > 1 || (name == "") == (file == "") {
				return misused("the name of a rule is required, or --file; see %s --help", cmd.FullName())
			}
			role, err := user.ParseRole(as)
			if err != nil {
				return misused("--as must be admin, manager or viewer; see %s --help", cmd.FullName())
			}
			if limit <= 0 {
				return misused("--timeout must be positive; see %s --help", cmd.FullName())
			}
			var changed ruledef.Attributes
			if len(on) > 0 {
				if file != "" {
					return misused(`--on is for stored rules: in a file, "on" has the operations; see %s --help`, cmd.FullName())
				}
				changed.On = domain.Some(on)
			}
			return operate(ctx, &c, func(ctx context.Context, op *bootstrap.Operation) error {
				candidate, err := candidateFrom(ctx, op.Trials, name, changed, file)
				if err != nil {
					return err
				}
				ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the trial has not ended within %s: set --timeout", limit))
				defer cancel()
				return try(ctx, cmd.Root().Writer, out, op.Trials, candidate, role)
			})
		},
	}
}

func candidateFrom(
	ctx context.Context, trials *command.Trials, name string, changed ruledef.Attributes, file string,
) (command.TriedRule, error) {
	if file == "" {
		c, err := trials.Named(ctx, name, changed)
		return c, fault.Named(err, name)
	}
	a, err := readRule(file)
	if err != nil {
		return command.TriedRule{}, fmt.Errorf("%s: %w", file, err)
	}
	return trials.Unsaved(a)
}

// ruleFile is a rule in JSON. Further attributes, such as those of a stored rule, are ignored.
type ruleFile struct {
	Name       *string            `json:"name"`
	Resource   *string            `json:"resource"`
	On         *[]string          `json:"on"`
	Variables  []ruledef.Variable `json:"variables"`
	Expression *string            `json:"expression"`
	Message    *string            `json:"message"`
	Field      *string            `json:"field"`
	Forbidden  *bool              `json:"forbidden"`
}

// maxRuleFile is far more than a rule can have.
const maxRuleFile = 1 << 20

func readRule(file string) (a ruledef.Attributes, err error) {
	from := io.ReadCloser(os.Stdin)
	if file != "-" {
		if from, err = os.Open(file); err != nil {
			return a, err
		}
		defer from.Close()
	}
	text, err := io.ReadAll(io.LimitReader(from, maxRuleFile))
	if err != nil {
		return a, err
	}
	var r ruleFile
	if err := json.Unmarshal(text, &r); err != nil {
		return a, fmt.Errorf("it is not a rule in JSON: %w", located(err, text))
	}
	return ruledef.Attributes{
		Name: given(r.Name), Resource: given(r.Resource), On: given(r.On), Variables: domain.Some(r.Variables),
		Expression: given(r.Expression), Message: given(r.Message), Field: given(r.Field), Forbidden: given(r.Forbidden),
	}, nil
}

// located adds to an error of package json the line and the column of it in the text.
func located(err error, text []byte) error {
	end := len(text)
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		end = int(e.Offset)
	} else if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		end = int(e.Offset)
	}
	before := text[:min(end, len(text))]
	return fmt.Errorf("line %d, column %d: %w", bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n')-1, err)
}

func given[T any](value *T) (o domain.Optional[T]) {
	if value == nil {
		return o
	}
	return domain.Some(*value)
}

func try(ctx context.Context, w io.Writer, out output, trials *command.Trials, c command.TriedRule, as user.Role) error {
	started := time.Now()
	show, clearLine := progressBar(os.Stderr)
	found, err := trials.Run(ctx, c, as, func(f ruledef.TrialResult) { show(f.Done) })
	clearLine()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	if err := out.trial(w, c.Rule, as, found, time.Since(started)); err != nil {
		return err
	}
	if rest := found.Tried() - found.Passed; rest > 0 {
		return failure{fmt.Errorf("the rule does not let all records pass: %d of %d do not", rest, found.Tried()), codeFound}
	}
	return nil
}

// progressBar shows which part is done, 0 to 1, in one line of a terminal; elsewhere it shows nothing.
func progressBar(w io.Writer) (show func(done float64), clearLine func()) {
	if !isTerminal(w) {
		return func(float64) {}, func() {}
	}
	return func(done float64) { writeProgress(w, done) }, func() { fmt.Fprint(w, "\r"+strings.Repeat(" ", barWidth+8)+"\r") }
}

const barWidth = 40

func writeProgress(w io.Writer, done float64) {
	n := int(done * barWidth)
	fmt.Fprintf(w, "\r[%s%s] %3.0f %%", strings.Repeat("#", n), strings.Repeat(" ", barWidth-n), done*100)
}

type trialResult struct {
	Name     string    `json:"name"`
	Resource string    `json:"resource"`
	On       []string  `json:"on"`
	Forbids  bool      `json:"forbidden"`
	As       string    `json:"as"`
	Passed   int64     `json:"passed"`
	Refused  int64     `json:"refused"`
	Failed   int64     `json:"failed"`
	Refusals []finding `json:"refusals"`
	Failures []finding `json:"failures"`
}

type finding struct {
	RecordID int64  `json:"record_id"`
	Message  string `json:"message"`
}

func findingsFrom(list []ruledef.Refusal) []finding {
	all := make([]finding, len(list))
	for i, f := range list {
		all[i] = finding(f)
	}
	return all
}

func (o output) trial(w io.Writer, r ruledef.State, as user.Role, f ruledef.TrialResult, took time.Duration) error {
	if o.isJSON() {
		return writeJSON(w, trialResult{
			r.Name, r.Resource, r.On.Names(), r.Forbidden, as.String(), f.Passed, f.Refused, f.Failed,
			findingsFrom(f.Refusals), findingsFrom(f.Failures),
		})
	}
	fmt.Fprintf(w, "The rule %s was tried on %d records (%s) in %s: %d passed, %d refused, %d failed.\n",
		r.Name, f.Tried(), r.Resource, took.Round(time.Millisecond), f.Passed, f.Refused, f.Failed)
	for _, part := range []struct {
		verdict string
		all     int64
		list    []ruledef.Refusal
	}{{"REFUSED", f.Refused, f.Refusals}, {"FAILED", f.Failed, f.Failures}} {
		if err := writeFindings(w, part.verdict, part.all, part.list); err != nil {
			return err
		}
	}
	return nil
}

func writeFindings(w io.Writer, verdict string, all int64, list []ruledef.Refusal) error {
	if all == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := newTable(w, verdict, "MESSAGE")
	for _, f := range list {
		t.row(strconv.FormatInt(f.RecordID, 10), f.Message)
	}
	if rest := all - int64(len(list)); rest > 0 {
		t.row("...", fmt.Sprintf("and %d more", rest))
	}
	return t.flush()
}
