package readmodel

import (
	"context"

	"github.com/kontor-crm/kontor/domain/performer"
)

// Picture is the content of a picture.
type Picture struct {
	Version     int64
	ContentType string
	Data        []byte
}

// Pictures reads the content of pictures.
type Pictures interface {
	// Read returns the picture of a performer, or a fault.NotFound.
	Read(ctx context.Context, owner performer.ID, kind performer.PictureKind) (Picture, error)
	// Contents returns the content of the pictures with these SHA-256 digests that are stored.
	Contents(ctx context.Context, digests []string) (map[string][]byte, error)
}

// PerformerPictures has the attributes of the pictures of performers, by their kind. The id is the performer's.
var PerformerPictures = func() map[performer.PictureKind]*Resource {
	all := map[performer.PictureKind]*Resource{}
	for _, kind := range performer.PictureKinds {
		all[kind] = &Resource{Name: string(kind), Attributes: []Attribute{
			{Name: "id", Kind: ID},
			{Name: "content_type", Kind: Text},
			{Name: "size", Kind: Integer},
			{Name: "sha256", Kind: Text},
		}}
	}
	return all
}()
