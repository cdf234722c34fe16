package httpapi

import (
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

const updatedSinceParameter = "updated_since"

func updatedSince(p *params) readmodel.Instant {
	return instantParam(p, updatedSinceParameter, "Only records that were created or changed at this instant or later")
}

// instantParam returns a parameter that is an instant. One with a UTC offset is converted to UTC.
func instantParam(p *params, name, description string) readmodel.Instant {
	p.declare(name, func() (apidoc.Schema, string) {
		return apidoc.Text(maxFilter), description + ": YYYY-MM-DD hh:mm:ss in the time zone of the service, or RFC 3339."
	})
	raw := strings.ToUpper(p.limited(name, maxFilter))
	if raw == "" {
		return ""
	}
	if at, err := time.Parse(time.RFC3339, raw); err == nil {
		raw = at.UTC().Format(time.RFC3339Nano)
	}
	if at, err := civil.Parse(raw); err != nil || !civil.InRange(at) {
		p.reject(name, "must be an instant: YYYY-MM-DD hh:mm:ss in the time zone of the service, or RFC 3339, in which + is sent as %2B")
		return ""
	}
	return readmodel.Instant(raw)
}
