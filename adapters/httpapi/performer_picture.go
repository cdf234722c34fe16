package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// file is the body of an upload.
type file struct {
	mediaType string
	data      []byte
}

// PerformerPictures returns the routes of the pictures of performers.
func PerformerPictures(pictures readmodel.Pictures, commands *command.Performers) (all Resource) {
	for _, kind := range performer.PictureKinds {
		r := endpoint[readmodel.NoFilter]{
			path: "performer", table: readmodel.PerformerPictures[kind], format: jsonFormat, media: performer.PictureTypes,
			record: "PerformerPicture", docs: &pictureDocs,
		}
		path := "/:id/file/" + string(kind)
		deletePicture := func(ctx context.Context, request command.Request, id int64) error {
			return commands.DeletePicture(ctx, request, performer.ID(id), kind)
		}
		all = append(all,
			r.action(http.MethodGet, path, apidoc.Read, downloadOf(r.record, "picture"), func(c *call) (*response, error) {
				return downloadPicture(c, pictures, kind)
			}),
			r.action(http.MethodPut, path, apidoc.Update, &pictureUpload, func(c *call) (*response, error) {
				in, a, err := r.written(c)
				if err != nil {
					return nil, err
				}
				decode := func() (performer.Picture, error) { return c.decodePicture(kind) }
				return a, commands.PutPicture(c, in.request, performer.ID(c.id), kind, decode)
			}),
			r.route(http.MethodDelete, path, apidoc.Delete, r.remove(writes{remove: deletePicture})),
		)
	}
	for i := range all {
		all[i].describe = ofAnyPicture(all[i].describe)
	}
	return all
}

// ofAnyPicture describes the operation for the kind of picture as the one for all kinds, which the path has as a parameter.
func ofAnyPicture(describe func() apidoc.Operation) func() apidoc.Operation {
	return func() apidoc.Operation {
		o := describe()
		table := *o.Table
		table.Name = "picture"
		o.Table, o.Path = &table, "/rest/performer/{id}/file/{picture}"
		var kinds []string
		for _, kind := range performer.PictureKinds {
			kinds = append(kinds, string(kind))
		}
		o.Filters = append(o.Filters, apidoc.Parameter{
			Name: "picture", Description: "Which picture of the performer.", Schema: apidoc.OneOf(kinds...), Required: true, Choices: kinds,
		})
		return o
	}
}

// decodePicture decodes the picture in the body. That takes up to 60 MB, and so no other heavy work runs meanwhile.
func (c *call) decodePicture(kind performer.PictureKind) (performer.Picture, error) {
	leave, err := c.limits.documents.Enter(c)
	if err != nil {
		return performer.Picture{}, err
	}
	defer leave()
	release, err := c.limits.documents.Weigh(c, heavyBytes)
	if err != nil {
		return performer.Picture{}, err
	}
	defer release()
	return performer.NewPicture(kind, c.file.mediaType, c.file.data)
}

// readPicture receives the body of an upload.
func (api *API) readPicture(c *call, header http.Header) (f file, err error) {
	if c.http.ContentLength == 0 {
		return f, nil
	}
	if err := body.CheckEncoding(c.http.Header.Values("Content-Encoding")); err != nil {
		return f, err
	}
	limit := min(api.config.MaxBody, performer.MaxPictureBytes)
	if c.http.ContentLength > limit {
		return f, body.TooLarge(limit)
	}
	f.mediaType, _, _ = mime.ParseMediaType(c.http.Header.Get("Content-Type"))
	if !slices.Contains(performer.PictureTypes, f.mediaType) {
		return f, problem.Error{
			Status: http.StatusUnsupportedMediaType, Detail: "the body must be " + strings.Join(performer.PictureTypes, " or "),
		}
	}
	f.data, err = api.receive(c, header, limit)
	return f, err
}

func downloadPicture(c *call, pictures readmodel.Pictures, kind performer.PictureKind) (*response, error) {
	p, err := pictures.Read(c, performer.ID(c.id), kind)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(p.Data)
	return &response{sent: &encodedResponse{
		Status: http.StatusOK, ContentType: p.ContentType, ETag: fmt.Sprintf(`"%d-%s"`, p.Version, hex.EncodeToString(sum[:8])),
		Disposition: fmt.Sprintf("inline; filename=%q", string(kind)+strings.Replace(p.ContentType, "image/", ".", 1)), Body: p.Data,
	}}, c.hold(len(p.Data))
}

func downloadOf(record, name string) *apidoc.Action {
	return &apidoc.Action{
		ID: "download" + record, Summary: "Download one " + name, IsFile: true,
		Does: "Returns one " + name + " as a file. With `If-None-Match`, the response contains the file only if it has changed.",
	}
}

var pictureUpload = apidoc.Action{
	ID: "putPerformerPicture", Summary: "Store one picture", IsFile: true,
	Does: "Stores the file in the body as the picture, in place of the one that there is, and describes it. With `If-Match`, " +
		"nothing changes if it has been changed since it was read; with `If-None-Match: *`, if there is one.\n\n" +
		"The body is a PNG or a JPEG of at most 512 KiB and 4,000,000 pixels. It is stored upright, with 8 bits and not " +
		"interlaced. Documents as PDF or HTML are printed with it. The attribute of the performer with the same name stays as it is.",
}

var pictureDocs = apidoc.Docs{
	Operations: map[apidoc.Verb]string{
		apidoc.Delete: "The id in the response is that of the performer.",
	},
	Attributes: apidoc.Attributes{
		"id":           "The performer.",
		"content_type": "The media type: image/png or image/jpeg.",
		"size":         "The bytes of the picture.",
		"sha256":       "The SHA-256 digest of the picture, in hexadecimal digits.",
	},
}
