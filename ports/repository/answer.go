package repository

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/user"
)

// AnswerKey names a creation: whoever asks for it again under the same key gets
// the first answer.
type AnswerKey struct {
	UserID user.ID
	Path   string // of the resource
	Key    string // of the caller's choice
}

// Answer is what a creation was answered with, as it was sent.
type Answer struct {
	Status      int
	Location    string
	ContentType string
	ETag        string
	Body        []byte
}

// AnswerLife is how long an answer is kept.
const AnswerLife = 24 * time.Hour

// Answers keeps the answers to creations that are to be carried out once.
type Answers interface {
	// Claim makes the key the running unit of work's own, or finds the answer
	// that is kept for it, with the fingerprint of the record that was sent then.
	// It waits for another unit of work that has claimed the key; one that does
	// not end within the lock timeout is a fault.Conflict. An answer as old as
	// AnswerLife at that time counts as none.
	Claim(ctx context.Context, key AnswerKey, fingerprint [32]byte, at time.Time) (first *Answer, sent [32]byte, err error)
	// Keep keeps the answer under a key that this unit of work has claimed.
	Keep(ctx context.Context, key AnswerKey, a Answer) error
}
