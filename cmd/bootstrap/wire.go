//go:build wireinject

package bootstrap

import (
	"context"
	"log/slog"

	"github.com/google/wire"
)

// NewService wires what kontor serve runs.
func NewService(ctx context.Context, c Config, log *slog.Logger) (*Service, func(), error) {
	panic(wire.Build(storing, commands, serving))
}

// NewOperation wires what the operators' commands need.
func NewOperation(ctx context.Context, c Config) (*Operation, func(), error) {
	panic(wire.Build(storing, commands, operating))
}
