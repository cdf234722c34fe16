package storetest_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

var answered = repository.Answer{
	Status: 200, Location: "http://x/rest/client/1", ContentType: "application/json", ETag: `"1-0"`, Body: []byte("{}"),
}

// claim claims the key at that time and, if it is free, keeps the answer. It
// returns what was kept before, nil if nothing was.
func claim(s store, key repository.AnswerKey, fingerprint byte, at time.Time) (first *repository.Answer, sent byte) {
	s.t.Helper()
	s.do(func(ctx context.Context, st repository.Stores) error {
		kept, before, err := st.Answers.Claim(ctx, key, [32]byte{fingerprint}, at)
		first, sent = kept, before[0]
		if err != nil || kept != nil {
			return err
		}
		return st.Answers.Keep(ctx, key, answered)
	})
	return first, sent
}

// contract 4.61, 4.62, 4.64
func TestAnAnswerIsKeptUnderItsKeyForADay(t *testing.T) {
	onBoth(t, func(s store) {
		o := fixture.Open(s.t, s)
		key := repository.AnswerKey{UserID: o.Admin, Path: "/rest/client", Key: "a"}
		at := fixture.At
		if first, _ := claim(s, key, 1, at); first != nil {
			s.t.Errorf("a new key has the answer %v", first)
		}
		first, sent := claim(s, key, 2, at.Add(repository.AnswerLife-time.Microsecond))
		if diff := cmp.Diff(&answered, first); diff != "" || sent != 1 {
			s.t.Errorf("the fingerprint is %d, the answer -want +got\n%s", sent, diff)
		}
		for name, other := range map[string]repository.AnswerKey{
			"another user": {UserID: o.Viewer, Path: key.Path, Key: key.Key},
			"another path": {UserID: key.UserID, Path: "/rest/deal", Key: key.Key},
			"another key":  {UserID: key.UserID, Path: key.Path, Key: "A"},
		} {
			if first, _ := claim(s, other, 1, at); first != nil {
				s.t.Errorf("%s has the answer of the first", name)
			}
		}
		if first, _ := claim(s, key, 3, at.Add(repository.AnswerLife)); first != nil {
			s.t.Error("an answer is older than its life")
		}
		if first, sent := claim(s, key, 4, at.Add(repository.AnswerLife)); first == nil || sent != 3 {
			s.t.Errorf("the key that was claimed again has %v of %d", first, sent)
		}
	})
}

// contract 4.64
func TestAClaimThatIsNotCommittedLeavesTheKeyFree(t *testing.T) {
	onBoth(t, func(s store) {
		o := fixture.Open(s.t, s)
		key := repository.AnswerKey{UserID: o.Admin, Path: "/rest/client", Key: "a"}
		refusal := errors.New("refused")
		err := s.Do(s.t.Context(), repository.Meta{UserID: o.Admin, At: fixture.At}, func(ctx context.Context, st repository.Stores) error {
			if _, _, err := st.Answers.Claim(ctx, key, [32]byte{1}, fixture.At); err != nil {
				return err
			}
			return errors.Join(st.Answers.Keep(ctx, key, answered), refusal)
		})
		if !errors.Is(err, refusal) {
			s.t.Fatal(err)
		}
		if first, _ := claim(s, key, 2, fixture.At); first != nil {
			s.t.Errorf("the key has the answer %v", first)
		}
	})
}

// contract 4.61
func TestAnAnswerMayBeEmptyOrHaveAnyBytes(t *testing.T) {
	onBoth(t, func(s store) {
		o := fixture.Open(s.t, s)
		for name, a := range map[string]repository.Answer{
			"nothing": {Status: 200, Body: []byte{}},
			"bytes":   {Status: 201, ContentType: "x/y", Body: []byte{0, 0xff, '"', '\n'}},
		} {
			key := repository.AnswerKey{UserID: o.Admin, Path: "/rest/deal", Key: name}
			var kept *repository.Answer
			s.do(func(ctx context.Context, st repository.Stores) (err error) {
				if _, _, err = st.Answers.Claim(ctx, key, [32]byte{}, fixture.At); err != nil {
					return err
				}
				return st.Answers.Keep(ctx, key, a)
			})
			s.do(func(ctx context.Context, st repository.Stores) (err error) {
				kept, _, err = st.Answers.Claim(ctx, key, [32]byte{}, fixture.At)
				return err
			})
			if kept == nil || kept.Status != a.Status || !bytes.Equal(kept.Body, a.Body) || kept.ContentType != a.ContentType {
				s.t.Errorf("%s: kept is %v", name, kept)
			}
		}
	})
}
