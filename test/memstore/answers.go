package memstore

import (
	"context"
	"fmt"
	"time"

	"github.com/kontor-crm/kontor/ports/repository"
)

// claimed is a key with its answer, once there is one.
type claimed struct {
	fingerprint [32]byte
	at          time.Time
	answer      *repository.Answer
}

type answers struct {
	unit *unit
}

func (r answers) Claim(
	_ context.Context, key repository.AnswerKey, fingerprint [32]byte, at time.Time,
) (*repository.Answer, [32]byte, error) {
	if c, ok := r.unit.answers[key]; ok && c.at.After(at.Add(-repository.AnswerLife)) {
		return c.answer, c.fingerprint, nil
	}
	r.unit.answers[key] = claimed{fingerprint: fingerprint, at: at}
	return nil, fingerprint, nil
}

func (r answers) Keep(_ context.Context, key repository.AnswerKey, a repository.Answer) error {
	c, ok := r.unit.answers[key]
	if !ok {
		return fmt.Errorf("the key %q is not claimed", key.Key)
	}
	c.answer = &a
	r.unit.answers[key] = c
	return nil
}

// seen is nothing that a reader could read: there are none in memory.
type seen struct{}

func (seen) IsSource() {}
