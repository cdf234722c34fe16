package pgread

import (
	"context"
	"encoding/hex"
	"strconv"

	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Pictures implements readmodel.Pictures.
type Pictures struct{ db Querier }

var _ readmodel.Pictures = Pictures{}

// NewPictures returns the reader of the content of pictures.
func NewPictures(db Querier) Pictures { return Pictures{db} }

// Read implements readmodel.Pictures.
func (r Pictures) Read(ctx context.Context, owner performer.ID, kind performer.PictureKind) (p readmodel.Picture, err error) {
	err = run(ctx, r.db, sq.Expr(`
select f.version, p.content_type, encode(p.data, 'hex')
from performer_files f
join pictures p on p.sha256 = f.sha256
where f.performer_id = ? and f.kind = ?`, owner, kind), func(cells [][]byte) error {
		p.Version, _ = strconv.ParseInt(string(cells[0]), 10, 64) // the database has checked it
		p.ContentType = string(cells[1])
		p.Data, err = hex.AppendDecode(nil, cells[2])
		return err
	})
	if err == nil && p.Version == 0 {
		return p, fault.New(fault.NotFound, "there is no such %s", kind)
	}
	return p, err
}

// Contents implements readmodel.Pictures.
func (r Pictures) Contents(ctx context.Context, digests []string) (map[string][]byte, error) {
	contents := map[string][]byte{}
	err := run(ctx, r.db, sq.Expr(`
select encode(sha256, 'hex'), encode(data, 'hex')
from pictures
where sha256 in (select decode(digest, 'hex') from unnest(?::text[]) digest)`, digests), func(cells [][]byte) error {
		data, err := hex.AppendDecode(nil, cells[1])
		contents[string(cells[0])] = data
		return err
	})
	return contents, err
}

func init() {
	for _, kind := range performer.PictureKinds {
		mapped(mapping{
			resource: readmodel.PerformerPictures[kind],
			table: "(select f.*, p.content_type, octet_length(p.data) as size from performer_files f join pictures p using (sha256) " +
				"where f.kind = '" + string(kind) + "')",
			idColumn: "performer_id",
			columns:  map[string]string{"id": "r.performer_id", "sha256": "encode(r.sha256, 'hex')"},
		})
	}
}
