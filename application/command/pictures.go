package command

import (
	"context"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/performer"
)

// PutPicture gives the performer a picture, in place of the one of its kind. It is decoded once it is known that the actor may
// write. Rules do not judge it.
func (u *Performers) PutPicture(
	ctx context.Context, r Request, id performer.ID, kind performer.PictureKind, decode func() (performer.Picture, error),
) error {
	if err := u.MayWrite(r.Actor); err != nil {
		return err
	}
	picture, invalid := decode() // it takes long, so not in the transaction
	if invalid != nil && !fault.Is(invalid, fault.Invalid) {
		return invalid
	}
	return u.perform(ctx, r, func(ctx context.Context, w work) error {
		version, digest, err := findPicture(ctx, w, id, kind)
		if err != nil {
			return err
		}
		if err := fault.Join(checkPartVersion(w, version, kind), invalid); err != nil {
			return err
		}
		if picture.SHA256 != digest {
			if err := w.Pictures.Save(ctx, id, kind, version+1, picture); err != nil {
				return err
			}
		}
		return w.respond(ctx, int64(id))
	})
}

// DeletePicture deletes the picture of the performer.
func (u *Performers) DeletePicture(ctx context.Context, r Request, id performer.ID, kind performer.PictureKind) error {
	return u.do(ctx, r, func(ctx context.Context, w work) error {
		version, _, err := findPicture(ctx, w, id, kind)
		if err != nil {
			return err
		}
		if version == 0 {
			return fault.New(fault.NotFound, "there is no such %s", kind)
		}
		if err := checkPartVersion(w, version, kind); err != nil {
			return err
		}
		return w.Pictures.Remove(ctx, id, kind)
	})
}

// findPicture locks the performer and returns the version and the digest of its picture.
func findPicture(ctx context.Context, w work, id performer.ID, kind performer.PictureKind) (version int64, digest string, err error) {
	if _, err := w.Performers.Lock(ctx, id); err != nil {
		return 0, "", err
	}
	return w.Pictures.Find(ctx, id, kind)
}
