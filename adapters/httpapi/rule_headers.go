package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// warningHeader names the rules in the mode warn that would have refused a write, and the warnings of the service itself, which begin
// with a character that the name of a rule does not have.
const (
	warningHeader = "Kontor-Warning"
	ownWarning    = "*"
)

// maxWarning is the maximum length of the header, in bytes, for a response head that proxies accept: many have a buffer of 4 KiB for it.
const maxWarning = 1500

// recordVerdicts records which rules have refused a write or would have, and which reactions it has
// caused.
func (c *call) recordVerdicts(header http.Header) {
	if len(c.observed.Ignored) > 0 {
		header.Set(warningHeader, ownWarning+"ignored")
	}
	if c.report == nil {
		return
	}
	c.observed.Reactions, c.observed.Cause = c.report.Reactions, c.report.Failure
	for _, v := range c.report.Refusals() {
		c.observed.Rules = append(c.observed.Rules, v.Rule)
		if v.Cause != nil && c.observed.Cause == nil {
			c.observed.Cause = fmt.Errorf("the rule %s has failed: %w", v.Rule, v.Cause)
		}
	}
}

// verdicts returns those of a dry run, one of each rule; nil of another request.
func (c *call) verdicts() problem.Verdicts {
	if !c.observed.DryRun || c.report == nil {
		return nil
	}
	all := problem.Verdicts{}
	for _, v := range c.report.ByRule() {
		all = append(all, problem.VerdictOf(v))
	}
	return all
}

// warnings returns the names of what warns of the write.
func (c *call) warnings() string {
	if c.report == nil {
		return ""
	}
	var names []string
	for _, v := range c.report.Refusals() {
		if v.Mode == ruledef.Warn {
			names = append(names, v.Rule)
		}
	}
	for _, name := range c.report.Warnings {
		names = append(names, ownWarning+name)
	}
	return limited(strings.Join(names, ", "))
}

// limited returns the first names that keep within maxWarning. If there are more, *more is the last one.
func limited(names string) string {
	const more = ", " + ownWarning + "more"
	if len(names) <= maxWarning {
		return names
	}
	end := maxWarning - len(more)
	return names[:strings.LastIndex(names[:end+1], ",")] + more
}
