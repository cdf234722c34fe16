package httpapi

import (
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

const (
	idempotencyKey = "Idempotency-Key"
	replayed       = "Idempotent-Replayed"
	maxKey         = 255
)

// idempotency identifies this creation by its Idempotency-Key; nil if the caller
// sends none.
func (c *call) idempotency() (*command.Idempotency, error) {
	values := c.http.Header.Values(idempotencyKey)
	if len(values) == 0 {
		return nil, nil
	}
	key := strings.Join(values, ", ")
	invisible := func(r rune) bool { return r <= ' ' || r > '~' }
	if key == "" || len(key) > maxKey || strings.ContainsFunc(key, invisible) {
		return nil, fault.ForField(fault.Malformed, idempotencyKey, "must have 1 to %d visible ASCII characters", maxKey)
	}
	return &command.Idempotency{
		Key: repository.IdempotencyKey{
			UserID: c.actor.UserID, Path: strings.Replace(c.route.path, ":id", strconv.FormatInt(c.id, 10), 1), Key: key,
		},
		Fingerprint: c.body.Fingerprint(),
	}, nil
}
