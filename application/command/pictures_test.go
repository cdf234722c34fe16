package command_test

import (
	"testing"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
)

// contract 16.22
func TestPictureOfAnActorWhoMayNotWriteIsNotDecoded(t *testing.T) {
	t.Parallel()
	r := command.Request{Actor: access.Actor{UserID: 1, Role: user.Viewer}}
	err := command.NewPerformers(nil, nil, nil).PutPicture(t.Context(), r, 1, performer.Logo, func() (performer.Picture, error) {
		t.Error("the picture is decoded")
		return performer.Picture{}, nil
	})
	rejected(t, err, fault.Forbidden)
}
