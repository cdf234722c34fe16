package command

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Once names a creation: asked for again under the same name, it is not carried
// out again.
type Once struct {
	repository.AnswerKey
	// Fingerprint tells records apart that are sent under the same name.
	Fingerprint [32]byte
}

// Repeated is the error of a creation that was carried out before. It holds the
// answer that was given then.
type Repeated struct {
	First repository.Answer
}

func (Repeated) Error() string { return "the creation was carried out before" }

// claim makes sure that nobody else carries the creation out, now or before.
// Another record under the same name is a fault.Invalid.
func (r Request) claim(ctx context.Context, s repository.Stores, at time.Time) error {
	if r.Once == nil {
		return nil
	}
	first, sent, err := s.Answers.Claim(ctx, r.Once.AnswerKey, r.Once.Fingerprint, at)
	switch {
	case err != nil:
		return err
	case first == nil:
		return nil
	case sent != r.Once.Fingerprint:
		return fault.ForField(fault.Invalid, "Idempotency-Key", "was used for another record: take a new key for each")
	}
	return Repeated{First: *first}
}

// answer reads what the caller is told, and keeps it where it is to be told again.
func (r Request) answer(ctx context.Context, s repository.Stores, id int64) error {
	if r.Answer == nil {
		return nil
	}
	a, err := r.Answer(ctx, s.Seen, id)
	if err != nil || r.Once == nil {
		return err
	}
	return s.Answers.Keep(ctx, r.Once.AnswerKey, a)
}
