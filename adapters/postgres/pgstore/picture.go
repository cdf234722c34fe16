package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/domain/performer"
)

type pictures struct{ *unit }

func (r pictures) Find(ctx context.Context, owner performer.ID, kind performer.PictureKind) (version int64, digest string, err error) {
	_, err = r.one(ctx, []any{&version, &digest}, `
select version, encode(sha256, 'hex')
from performer_files
where performer_id = $1 and kind = $2`, owner, kind)
	return version, digest, err
}

// Save locks the content even if it is stored already, so that no other transaction deletes it.
func (r pictures) Save(_ context.Context, owner performer.ID, kind performer.PictureKind, version int64, p performer.Picture) error {
	r.removePictures(owner, kind)
	r.Store(`
insert into pictures (sha256, content_type, data)
values (decode($1, 'hex'), $2, $3)
on conflict (sha256) do update
set content_type = excluded.content_type`, p.SHA256, p.Type, p.Data)
	r.Store(`
insert into performer_files (performer_id, kind, version, sha256)
values ($1, $2, $3, decode($4, 'hex'))`, owner, kind, version, p.SHA256)
	return nil
}

func (r pictures) Remove(_ context.Context, owner performer.ID, kind performer.PictureKind) error {
	r.removePictures(owner, kind)
	return nil
}

// removePictures deletes the pictures of the kind, or of all kinds if it is "", and what they alone refer to. The
// content is locked by a statement of its own: the next one then sees what refers to it since.
func (u *unit) removePictures(owner performer.ID, kind performer.PictureKind) {
	u.lockPerformer(owner)
	u.Lock(`
select from pictures
where sha256 in (select sha256 from performer_files where performer_id = $1 and kind = coalesce($2, kind))
order by sha256
for update`, owner, missing(string(kind)))
	u.Remove(`
with removed as (
    delete from performer_files
    where performer_id = $1 and kind = coalesce($2, kind)
    returning sha256
)
delete from pictures p
using removed
where p.sha256 = removed.sha256 and not p.issued and not exists (
    select from performer_files f
    where f.sha256 = p.sha256 and (f.performer_id <> $1 or f.kind <> coalesce($2, f.kind))
)`, owner, missing(string(kind)))
}
