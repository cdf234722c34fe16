//go:build wireinject

package bootstrap

import (
	"context"
	"log/slog"

	"github.com/google/wire"
)

// NewService wires kontor serve.
func NewService(ctx context.Context, c Config, log *slog.Logger) (*Service, func(), error) {
	panic(wire.Build(serving))
}

// newTenant wires what requests for one company need.
func newTenant(ctx context.Context, c Config, all *Tenants) (*openTenant, func(), error) {
	panic(wire.Build(requests))
}

// NewOperation wires the dependencies of operators' commands.
func NewOperation(ctx context.Context, c Config) (*Operation, func(), error) {
	panic(wire.Build(operating))
}
