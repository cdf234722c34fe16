package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/kontor-crm/kontor/test/pgserver"
)

// folderPrefix begins the names of private servers' folders.
const folderPrefix = "kontor-pgtest-"

// startLocal starts a private PostgreSQL in a temporary folder.
func startLocal(ctx context.Context) (server, error) {
	programs, err := pgserver.Programs("bin/initdb")
	if err != nil {
		return server{}, err
	}
	pgserver.Sweep(folderPrefix)
	folder, err := pgserver.MakeFolder(folderPrefix)
	if err != nil {
		return server{}, fmt.Errorf("make a folder for a private PostgreSQL: %w", err)
	}
	local, err := pgserver.New(programs, folder, "data")
	if err == nil {
		for name, value := range settings {
			local.Settings = append(local.Settings, name+"="+value)
		}
		err = local.Init()
	}
	if err == nil {
		err = local.Start(ctx)
	}
	if err != nil {
		return server{}, errors.Join(fmt.Errorf("start a private PostgreSQL: %w", err), os.RemoveAll(folder))
	}
	return server{
		name: "a private local server",
		url:  local.URL("postgres"),
		stop: func(context.Context) error {
			local.Kill()
			return os.RemoveAll(folder)
		},
	}, nil
}
