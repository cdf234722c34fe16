package bootstrap

import (
	"context"
	"log/slog"
)

// RegisterRules stores the rules that are compiled into the program, so that they are listed
// with the others, and logs where the stored rules do not fit it. A failure is logged: the next
// start tries again.
func RegisterRules(ctx context.Context, c Commands, log *slog.Logger) {
	d, err := c.Rules.Register(ctx)
	if err != nil {
		log.Error("the rules of the program could not be stored", "error", err)
		return
	}
	for _, s := range d.Missing {
		log.Warn("the program does not contain a rule whose mode is stored: it is not asked", "rule", s.Name, "mode", s.Mode.String())
	}
	for _, s := range d.Clashes {
		log.Error("a typed rule has the name of a rule or reaction of the program: rename it", "rule", s.Name, "id", int64(s.ID))
	}
}
