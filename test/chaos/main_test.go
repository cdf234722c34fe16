//go:build race || full

package chaos_test

import (
	"os"
	"testing"

	"github.com/kontor-crm/kontor/test/testprogram"
)

func TestMain(m *testing.M) { os.Exit(testprogram.Run(m)) }
