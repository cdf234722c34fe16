package program

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestCommandsHaveTheRulesOfTheProgram(t *testing.T) {
	t.Setenv("KONTOR_DATABASE_URL", pgtest.URL(t))
	again := rule.Clients.Rules(rule.ClientStaysWithManager{}) // one of Kontor's own, which the registry rejects
	for _, line := range []string{
		"serve --listen 192.0.2.1:0", // which no machine has
		"user add --username ann", "user list", "user disable --username ann", "user enable --username ann", "user role --username ann --role viewer",
		"token issue --user ann", "token list", "token revoke 000000000000",
	} {
		err := newCommand(again).Run(t.Context(), append([]string{"kontor"}, strings.Fields(line)...))
		if err == nil || !strings.Contains(err.Error(), `another rule or reaction has the name "client-stays-with-manager"`) {
			t.Errorf("kontor %s ends with %v", line, err)
		}
	}
}
