package bootstrap

import (
	"strings"

	"github.com/kontor-crm/kontor/adapters/doctor"
)

// CheckSettings has a finding for each setting that is refused, or one that says
// that none is. What Validate reads from raw text is in the configuration then.
func CheckSettings(c *Config) []doctor.Finding {
	err := c.Validate()
	if err == nil {
		return []doctor.Finding{{Name: "settings", State: doctor.OK, Found: "each makes sense, and they fit together"}}
	}
	var all []doctor.Finding
	for line := range strings.Lines(err.Error()) {
		name, problem, _ := strings.Cut(strings.TrimSpace(line), ": ")
		variable := "KONTOR_" + strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(name, "--"), "-", "_"))
		all = append(all, doctor.Finding{
			Name: "settings", State: doctor.Fail, Found: name + " " + problem, Mend: "change " + name + " or " + variable,
		})
	}
	return all
}

// Examined are the settings that an examination of the database looks at.
func (c Config) Examined() doctor.Settings {
	return doctor.Settings{
		DatabaseURL:      c.DatabaseURL,
		MaxConnections:   c.MaxConnections,
		TimeZone:         c.TimeZone,
		LockTimeout:      c.LockTimeout,
		StatementTimeout: c.StatementTimeout,
		RequestTimeout:   c.RequestTimeout,
	}
}
