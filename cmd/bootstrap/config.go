// Package bootstrap configures and wires the program: settings from environment
// variables and flags, and the constructors of every layer.
package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/httpapi"
	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// Config are the settings. Validate parses the Raw fields into the fields without
// that prefix.
type Config struct {
	DatabaseURL      string
	DataDir          string
	MaxConnections   int
	SlowConnections  int // 0: a sixteenth of MaxConnections
	StatementTimeout time.Duration
	LockTimeout      time.Duration
	TimeZone         string
	CompanyName      string        // of the company that a command is about; empty: the default one
	Tenant           tenant.Tenant // whose records are used; the zero value: the default one's

	Listen         string
	TLSCert        string
	TLSKey         string
	AdminListen    string
	RawBaseURL     string
	BaseURL        *url.URL
	RawProxies     string
	TrustedProxies []netip.Prefix
	RawOrigins     string
	Origins        []string
	DefaultFormat  string
	MaxBody        int64
	Lenient        bool
	PublicLists    bool
	RateLimit      float64
	MaxRequests    int
	CallerShare    int // percent
	RequestTimeout time.Duration
	DrainDelay     time.Duration
	ShutdownAfter  time.Duration

	ChangeDays int // for which the log of changes is kept; 0: there is none

	LogFormat string
	RawLevel  string
	LogLevel  slog.Level

	Clock ports.Clock   // for tests, not a setting; nil is the machine's clock
	Rules []rule.Option // of a team's own program, not a setting

	zoned   bool // the command uses the time zone
	serving bool // settings of kontor serve are validated too
}

// Defaults returns the settings with the database URL and the defaults of the flags.
func Defaults(databaseURL string) Config {
	return Config{
		DatabaseURL:      databaseURL,
		MaxConnections:   32,
		StatementTimeout: 10 * time.Second,
		LockTimeout:      5 * time.Second,
		TimeZone:         "UTC",
		Listen:           "127.0.0.1:8080",
		DefaultFormat:    string(httpapi.Documented),
		MaxBody:          1 << 20,
		MaxRequests:      256,
		CallerShare:      25,
		RequestTimeout:   30 * time.Second,
		ShutdownAfter:    20 * time.Second,
		ChangeDays:       400,
		LogFormat:        "auto",
		RawLevel:         "info",
	}
}

var defaults = Defaults("")

// Validate parses and checks the settings. The error has one line for each invalid
// setting.
func (c *Config) Validate() error {
	var errs []error
	reject := func(name, format string, args ...any) {
		errs = append(errs, fmt.Errorf("--"+name+" ("+variable(name)+"): "+format, args...))
	}
	if err := checkDatabaseURL(c.DatabaseURL); err != nil {
		reject("database-url", "%w", err)
	}
	if c.zoned {
		if err := ValidateZone(c.TimeZone); err != nil {
			reject("timezone", "%w", err)
		}
	}
	c.validateAddress(reject)
	if err := c.validateCertificate(); err != nil {
		errs = append(errs, err)
	}
	if c.serving {
		c.validateServing(reject)
	}
	return errors.Join(errs...)
}

// checkDatabaseURL rejects what is not the URL of a database; none is fine. With a space it is not one, but
// perhaps two. The error shows no password.
func checkDatabaseURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		return nil
	case err != nil, u.Scheme != "postgres" && u.Scheme != "postgresql", strings.Contains(raw, " "):
		return errors.New("must look like postgres://user:password@host:5432/name")
	}
	return postgres.CheckURL(raw)
}

// ValidateZone rejects a name that is not a time zone.
func ValidateZone(name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		return fmt.Errorf("%q is not an IANA time zone, such as UTC or Europe/Berlin", name)
	}
	return nil
}

// isAddress reports whether an address has a port that exists. The port may have a name.
func isAddress(address string) bool {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port)
	}
	return err == nil
}

func (c *Config) validateAddress(reject func(name, format string, args ...any)) {
	if c.Listen != "" {
		if !isAddress(c.Listen) {
			reject("listen", "must be an address and a port up to 65535, such as 127.0.0.1:8080")
		}
	}
	if c.AdminListen != "" {
		if !isAddress(c.AdminListen) {
			reject("admin-listen", "must be an address and a port up to 65535, such as 127.0.0.1:9090")
		}
	}
	if c.RawBaseURL != "" {
		u, err := url.Parse(c.RawBaseURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			reject("base-url", "must be an absolute http or https URL without a query, such as https://crm.example.org")
		}
		c.BaseURL = u
	}
	proxies, err := parseProxies(c.RawProxies)
	if err != nil {
		reject("trusted-proxies", "%w", err)
	}
	c.TrustedProxies = proxies
	origins, err := parseOrigins(c.RawOrigins)
	if err != nil {
		reject("cors-origins", "%w", err)
	}
	c.Origins = origins
}

func (c *Config) validateServing(reject func(name, format string, args ...any)) {
	switch httpapi.DefaultFormat(c.DefaultFormat) {
	case httpapi.Documented, httpapi.AlwaysJSON, httpapi.AlwaysXML:
	default:
		reject("default-format", "must be json, xml or documented")
	}
	if c.LogFormat != "auto" && c.LogFormat != "json" && c.LogFormat != "text" {
		reject("log-format", "must be json, text or auto")
	}
	if err := c.LogLevel.UnmarshalText([]byte(c.RawLevel)); err != nil {
		reject("log-level", "must be debug, info, warn or error")
	}
	if c.RateLimit < 0 || c.RateLimit > 1e6 || math.IsNaN(c.RateLimit) {
		reject("rate-limit", "must be between 0 and 1000000")
	}
	if c.MaxBody < 1 {
		reject("max-body", "must be at least 1")
	}
	if c.MaxRequests < 1 || c.MaxRequests > 1_000_000 {
		reject("max-requests", "must be between 1 and 1000000")
	}
	if c.CallerShare < 1 || c.CallerShare > 100 {
		reject("caller-share", "must be between 1 and 100")
	}
	if c.MaxConnections < 1 || c.MaxConnections > 10_000 {
		reject("max-connections", "must be between 1 and 10000")
	}
	if c.SlowConnections < 0 || c.SlowConnections >= max(c.companyConnections(), 2) {
		reject("slow-connections", "must be at least 1 and less than half of --max-connections")
	}
	for name, d := range map[string]time.Duration{
		"request-timeout": c.RequestTimeout, "statement-timeout": c.StatementTimeout,
		"lock-timeout": c.LockTimeout, "shutdown-timeout": c.ShutdownAfter,
	} {
		if d < time.Millisecond {
			reject(name, "must be at least 1ms")
		}
	}
	if c.ChangeDays < 0 || c.ChangeDays > 36_500 {
		reject("change-days", "must be between 0 and 36500")
	}
	if c.DrainDelay < 0 {
		reject("drain-delay", "must be 0 or more")
	}
	if c.StatementTimeout >= c.RequestTimeout {
		reject("statement-timeout", "must be shorter than --request-timeout")
	}
}

// keepChanges is how long entries of the log of changes are kept.
func (c Config) keepChanges() time.Duration { return time.Duration(c.ChangeDays) * 24 * time.Hour }

// heavy returns the limit of heavy work that runs or waits: half of the requests in flight.
func (c Config) heavy() *gate.InFlight {
	return gate.NewInFlight((c.MaxRequests+1)/2, ports.CallerShare(c.CallerShare))
}

// gate returns the limits of slow statements. They wait no longer than a statement may take.
func (c Config) gate() gate.Limits {
	l := gate.Limits{Running: c.SlowConnections, Wait: c.StatementTimeout}
	if l.Running == 0 {
		l.Running = max(c.companyConnections()/8, 1)
	}
	l.PerCaller = ports.CallerShare(c.CallerShare).Of(l.Running)
	return l
}

// What transactions that write leave to others: of a company's connections, or a pool's, to reads; and those of one
// caller to those of others.
const (
	readConnections   = 2
	othersConnections = 2
)

// writeGate returns the limits of the transactions of a company, or of a pool, that write. They may hold a connection for
// as long as a lock is held. Those that wait are in-flight requests, which have limits of their own. One caller may hold
// almost all, since a caller alone would otherwise not get what the database can do; with a large share all.
func (c Config) writeGate(connections int) gate.Limits {
	running := max(connections-readConnections, 1)
	return gate.Limits{
		Running: running, PerCaller: max(running-othersConnections, ports.CallerShare(c.CallerShare).Of(running)),
		Wait: c.StatementTimeout,
	}
}

// pool returns the settings of the connections to the server of the URL, or to a node of Citus.
func (c Config) pool(node string, spans postgres.Spans) postgres.Config {
	return postgres.Config{
		URL:              c.DatabaseURL,
		MaxConns:         int32(c.MaxConnections),
		StatementTimeout: c.StatementTimeout,
		LockTimeout:      c.LockTimeout,
		Zone:             c.TimeZone,
		Node:             node,
		Distributed:      node != "",
		Spans:            spans,
	}
}

// companyConnections is how many connections of a pool one company may have at the same time.
func (c Config) companyConnections() int { return (c.MaxConnections + 1) / 2 }

// in returns the settings for the records of a company.
func (c Config) in(tenant tenant.Tenant) Config {
	c.Tenant, c.TimeZone = tenant, tenant.TimeZone
	return c
}

// UpkeepConnections is how many connections a service has for the catalogue of companies, and for token look-ups and
// background work of the default company: one that a rebuild holds, and two beside it. No request holds one for long.
const UpkeepConnections = 3

func (c Config) upkeepPool(spans postgres.Spans) postgres.Config {
	config := c.pool("", spans)
	config.MaxConns = UpkeepConnections
	return config
}

func (c Config) api(w ports.Observer, s *traffic.Shutdown, tenants *Tenants) httpapi.Config {
	return httpapi.Config{
		BaseURL:        c.BaseURL,
		TrustedProxies: c.TrustedProxies,
		Origins:        c.Origins,
		DefaultFormat:  httpapi.DefaultFormat(c.DefaultFormat),
		MaxBody:        c.MaxBody,
		Lenient:        c.Lenient,
		PublicLists:    c.PublicLists,
		RequestTimeout: c.RequestTimeout,
		RateLimit:      c.RateLimit,
		MaxRequests:    c.MaxRequests,
		CallerShare:    ports.CallerShare(c.CallerShare),
		Heavy:          tenants.heavy,
		Version:        httpapi.Version(BuildVersion()),
		Observer:       w,
		Shutdown:       s,
		Tenants:        tenants,
	}
}
