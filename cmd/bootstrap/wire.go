//go:build wireinject

package bootstrap

import (
	"context"
	"log/slog"

	"github.com/google/wire"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgread"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/application/trial"
)

// NewService wires kontor serve.
func NewService(ctx context.Context, c Config, log *slog.Logger) (*Service, func(), error) {
	panic(wire.Build(connecting, storing, commands, serving))
}

// NewOperation wires the dependencies of operators' commands.
func NewOperation(ctx context.Context, c Config) (*Operation, func(), error) {
	panic(wire.Build(connecting, storing, commands, operating))
}

func newCompanyState(c Config, db *pgxpool.Pool, reads pgread.Querier, compiler rule.Compiler, use *use, slots trial.Slots, log *slog.Logger) (*companyState, error) {
	panic(wire.Build(storing, commands, reading, companyStates))
}
