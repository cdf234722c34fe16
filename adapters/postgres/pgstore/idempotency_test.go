package pgstore_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

var response = []byte("the response")

// claim claims the key at that time and, if it is free, stores the response. It
// returns what was stored before, nil if nothing was.
func claim(s store, key repository.IdempotencyKey, fingerprint byte, at time.Time) (first *repository.StoredResponse) {
	s.t.Helper()
	s.do(func(ctx context.Context, st repository.Stores) (err error) {
		first, err = st.IdempotencyKeys.Claim(ctx, key, [32]byte{fingerprint}, at)
		if err != nil || first != nil {
			return err
		}
		return st.IdempotencyKeys.Store(ctx, key, response)
	})
	return first
}

// contract 4.61, 4.62, 4.64, 4.91
func TestIdempotencyKeyHasItsResponseForADay(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		key := repository.IdempotencyKey{UserID: o.Admin, Path: "/rest/client", Key: "a"}
		at := fixture.At
		if first := claim(s, key, 1, at); first != nil {
			s.t.Errorf("a new key has the response %v", first)
		}
		want := &repository.StoredResponse{Fingerprint: [32]byte{1}, Bytes: response}
		for _, since := range []time.Duration{repository.ResponseLife - time.Microsecond, -24 * time.Hour} { // the clock may be set back
			if diff := cmp.Diff(want, claim(s, key, 2, at.Add(since))); diff != "" {
				s.t.Errorf("after %s: -want +got\n%s", since, diff)
			}
		}
		for name, other := range map[string]repository.IdempotencyKey{
			"another user": {UserID: o.Viewer, Path: key.Path, Key: key.Key},
			"another path": {UserID: key.UserID, Path: "/rest/deal", Key: key.Key},
			"another key":  {UserID: key.UserID, Path: key.Path, Key: "A"},
		} {
			if first := claim(s, other, 1, at); first != nil {
				s.t.Errorf("%s has the response of the first", name)
			}
		}
		if first := claim(s, key, 3, at.Add(repository.ResponseLife)); first != nil {
			s.t.Error("an expired response is returned")
		}
		if first := claim(s, key, 4, at.Add(repository.ResponseLife)); first == nil || first.Fingerprint[0] != 3 {
			s.t.Errorf("the key that was claimed again has %v", first)
		}
	})
}

// contract 4.61
func TestStoredResponseMayHaveAnyBytes(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		key := repository.IdempotencyKey{UserID: o.Admin, Path: "/rest/deal", Key: "a"}
		want := []byte{0, 0xff, '"', '\n'}
		var stored *repository.StoredResponse
		s.do(func(ctx context.Context, st repository.Stores) error {
			if _, err := st.IdempotencyKeys.Claim(ctx, key, [32]byte{}, fixture.At); err != nil {
				return err
			}
			return st.IdempotencyKeys.Store(ctx, key, want)
		})
		s.do(func(ctx context.Context, st repository.Stores) (err error) {
			stored, err = st.IdempotencyKeys.Claim(ctx, key, [32]byte{}, fixture.At)
			return err
		})
		if stored == nil || !bytes.Equal(stored.Bytes, want) {
			s.t.Errorf("stored is %v, want %v", stored, want)
		}
	})
}
