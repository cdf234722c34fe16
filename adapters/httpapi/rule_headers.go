package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// warningHeader is a header for each rule in the mode warn that would have refused a write, and for each warning of the service
// itself, which has * in place of a name.
const warningHeader = "Kontor-Warning"

// The limits of these headers, for a response head that proxies accept: many have a buffer of
// 4 KiB for it.
const (
	maxWarnings     = 64
	maxWarningBytes = 1536 // of all warnings
	maxHeaderText   = 240  // bytes of a field or a message, as encoded
)

// recordVerdicts records which rules have refused a write or would have, and which reactions it has
// caused.
func (c *call) recordVerdicts(header http.Header) {
	if len(c.ignored) > 0 {
		c.showIgnored(header)
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

// showIgnored records what a lenient service has ignored.
func (c *call) showIgnored(header http.Header) {
	var values []string
	for _, f := range c.ignored {
		c.observed.Ignored = append(c.observed.Ignored, f.Name)
		values = append(values, "*; ignored"+parameter("field", f.Name)+parameter("message", f.Message))
	}
	header[warningHeader] = limited(values, maxWarningBytes)
}

// warnings returns the headers of the rules in the mode warn that would have refused the write, and of the service's own warnings.
func (c *call) warnings() (values []string) {
	if c.report == nil {
		return nil
	}
	for _, v := range c.report.Refusals() {
		if v.Mode == ruledef.Warn {
			values = append(values, headerOf(v))
		}
	}
	for _, f := range c.report.Warnings {
		values = append(values, "*"+parameter("field", f.Name)+parameter("message", f.Message))
	}
	return limited(values, maxWarningBytes)
}

// headerOf returns a verdict as a header: the name of the rule, and parameters.
func headerOf(v rule.Verdict) string {
	shown := problem.VerdictOf(v)
	value := shown.Rule
	if shown.Resource != "" {
		value += "; resource=" + shown.Resource
	}
	if shown.RecordID != 0 {
		value += "; record_id=" + strconv.FormatInt(shown.RecordID, 10)
	}
	return value + parameter("field", shown.Field) + parameter("message", shown.Message)
}

// limited returns the first warnings that keep within the limits. If there are more, a
// last one says how many; its * is no name of a rule.
func limited(values []string, bytes int) []string {
	for i, v := range values {
		bytes -= len(warningHeader) + len(": ") + len(v) + len("\r\n")
		if bytes < 0 || i == maxWarnings-1 && len(values) > maxWarnings {
			return append(values[:i:i], fmt.Sprintf("*; omitted=%d", len(values)-i))
		}
	}
	return values
}

// parameter returns a parameter with a text, if it is not empty: quoted if it is visible ASCII,
// and else encoded as RFC 8187 says. A text that is too long ends with an ellipsis.
func parameter(name, text string) string {
	if text == "" {
		return ""
	}
	isVisible := func(r rune) bool { return r >= ' ' && r <= '~' }
	if !strings.ContainsFunc(text, func(r rune) bool { return !isVisible(r) }) {
		return "; " + name + `="` + shortened(text, quoted, "...") + `"`
	}
	return fmt.Sprintf("; %s*=UTF-8''%s", name, shortened(text, percentEncoded, "%E2%80%A6"))
}

// shortened returns the encoded text, within maxHeaderText.
func shortened(text string, encode func(r rune) string, ellipsis string) string {
	var b strings.Builder
	fits := 0 // bytes that leave room for the ellipsis
	for _, r := range text {
		b.WriteString(encode(r))
		if b.Len() > maxHeaderText {
			return b.String()[:fits] + ellipsis
		}
		if b.Len() <= maxHeaderText-len(ellipsis) {
			fits = b.Len()
		}
	}
	return b.String()
}

// quoted returns a character of a quoted-string (RFC 9110).
func quoted(r rune) string {
	if r == '"' || r == '\\' {
		return `\` + string(r)
	}
	return string(r)
}

// percentEncoded returns a character of an extended value (RFC 8187).
func percentEncoded(r rune) string {
	if r < 0x80 && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("!#$&+-.^_`|~", r)) {
		return string(r)
	}
	var b strings.Builder
	for _, c := range []byte(string(r)) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
