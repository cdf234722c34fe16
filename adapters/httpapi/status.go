package httpapi

import (
	"context"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func statusRoutes(reader readmodel.Reader[readmodel.NoFilter], commands *command.Statuses) []route {
	return resource[readmodel.NoFilter]{
		path:   "status",
		table:  readmodel.Statuses,
		reader: reader,
		format: xmlFormat,
		public: true,
		filter: unfiltered,
		record: "Status",
		lesson: &statusLesson,
		body: []field{
			named("name", shortText),
			{name: "default", schema: kindSchema(readmodel.Bool), about: "True takes it from the status that has it; the only way to unset it."},
			{name: "color", schema: patternSchema("^#[0-9a-fA-F]{6}$", "#1e90ff")},
		},
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			a := statusAttributes(in)
			id, err := commands.Create(ctx, in.request, a)
			return int64(id), err
		},
		update: func(ctx context.Context, in *input, id int64) error {
			a := statusAttributes(in)
			return commands.Update(ctx, in.request, catalog.StatusID(id), a)
		},
		remove: func(ctx context.Context, r command.Request, id int64) error {
			return commands.Delete(ctx, r, catalog.StatusID(id))
		},
	})
}

func statusAttributes(in *input) catalog.StatusAttributes {
	return catalog.StatusAttributes{
		Name:    in.text("name"),
		Default: in.boolean("default"),
		Color:   in.text("color"),
	}
}

var statusLesson = lesson{
	about: "Statuses are the states that a deal may be in. One of them may be the default, with which new deals begin. Only an admin writes them.",
	words: map[verb]string{
		creating: "The first one should be the default: without one, deals must name their status.",
		updating: "Making a status the default takes that from the one before. Nothing else does: `default` false on the default status is a 409.",
		removing: "One that a deal has, or had at some time, and the default cannot be deleted: 409.",
	},
	notes: notes{
		"id":      shows("", "5", "6"),
		"name":    shows("", "In talks", "Won"),
		"default": shows("Whether new deals begin with it.", "t", "f"),
		"color":   shows("In which colour to show it: #rrggbb.", "#1e90ff", "#2e8b57"),
	},
	story: story{
		create:  object{{"name", "In talks"}, {"default", true}, {"color", "#1e90ff"}},
		change:  object{{"color", "#f0ad4e"}},
		changed: map[string]string{"color": "#f0ad4e"},
	},
}
