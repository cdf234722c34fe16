//go:build wireinject

package bootstrap

import (
	"context"
	"log/slog"

	"github.com/google/wire"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// NewService wires kontor serve.
func NewService(ctx context.Context, c Config, log *slog.Logger) (*Service, func(), error) {
	panic(wire.Build(serving))
}

// newTenant wires what requests for one company need.
func newTenant(c Config, all *Tenants) (*openTenant, error) {
	panic(wire.Build(requests))
}

// commandsIn wires the use cases on units of work.
func commandsIn(tx repository.Tx, registry *rule.Registry, clock ports.Clock, minter ports.TokenMinter) Commands {
	panic(wire.Build(useCases))
}

// NewOperation wires the dependencies of operators' commands.
func NewOperation(ctx context.Context, c Config) (*Operation, func(), error) {
	panic(wire.Build(operating))
}
