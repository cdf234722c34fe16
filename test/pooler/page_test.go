package pooler

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

func TestPoolerPageHasTheStatementsOfTheDefaults(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	c := postgres.Config{StatementTimeout: 10 * time.Second, LockTimeout: 5 * time.Second}
	if statements := strings.Join(postgres.RoleDefaults(c, "kontor", "kontor"), "\n"); !strings.Contains(string(page), "```sql\n"+statements+"\n```") {
		t.Errorf("docs/operations.md does not have the statements\n%s", statements)
	}
}
