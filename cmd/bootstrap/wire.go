//go:build wireinject

package bootstrap

import (
	"context"
	"log/slog"

	"github.com/google/wire"
)

// NewService puts together what kontor serve runs.
func NewService(ctx context.Context, c Config, log *slog.Logger) (*Service, func(), error) {
	panic(wire.Build(storing, commands, serving))
}

// NewOperation puts together what the commands for operators need.
func NewOperation(ctx context.Context, c Config) (*Operation, func(), error) {
	panic(wire.Build(storing, commands, operating))
}
