package bootstrap

import (
	"strings"

	"github.com/kontor-crm/kontor/adapters/doctor"
)

// CheckSettings returns a finding for each invalid setting, or one that all are
// valid. It calls Validate, which completes the configuration.
func CheckSettings(c *Config) []doctor.Finding {
	err := c.Validate()
	if err == nil {
		return []doctor.Finding{{Name: "settings", State: doctor.OK, Found: "all settings are valid"}}
	}
	var all []doctor.Finding
	for line := range strings.Lines(err.Error()) {
		name, problem, _ := strings.Cut(strings.TrimSpace(line), ": ")
		variable := "KONTOR_" + strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(name, "--"), "-", "_"))
		all = append(all, doctor.Finding{
			Name: "settings", State: doctor.Fail, Found: name + " " + problem, Hint: "change " + name + " or " + variable,
		})
	}
	return all
}

// Examined returns the settings for the checks of package doctor.
func (c Config) Examined() (doctor.Settings, error) {
	compiler, err := newCompiler(c)
	if err != nil {
		return doctor.Settings{}, err
	}
	rules, err := newRegistry(c, compiler, newClock(c), nil)
	return doctor.Settings{
		DatabaseURL:      c.DatabaseURL,
		PoolerURL:        c.PoolerURL,
		Replicas:         c.Replicas,
		CitusDirect:      c.CitusDirect,
		MaxConnections:   c.MaxConnections,
		TimeZone:         c.TimeZone,
		LockTimeout:      c.LockTimeout,
		StatementTimeout: c.StatementTimeout,
		RequestTimeout:   c.RequestTimeout,
		Rules:            rules,
	}, err
}
