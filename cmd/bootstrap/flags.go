package bootstrap

import (
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/localpg"
)

// variable is the name of the environment variable that stands for a flag.
func variable(flag string) string {
	return "KONTOR_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func env(flag string) cli.ValueSourceChain { return cli.EnvVars(variable(flag)) }

func stringFlag(value *string, name, byDefault, usage string) cli.Flag {
	return &cli.StringFlag{Name: name, Sources: env(name), Destination: value, Value: byDefault, Usage: usage}
}

func intFlag(value *int, name string, byDefault int, usage string) cli.Flag {
	return &cli.IntFlag{Name: name, Sources: env(name), Destination: value, Value: byDefault, Usage: usage}
}

func durationFlag(value *time.Duration, name string, byDefault time.Duration, usage string) cli.Flag {
	return &cli.DurationFlag{Name: name, Sources: env(name), Destination: value, Value: byDefault, Usage: usage}
}

// DatabaseFlags returns the flags of every command that uses the records in the database.
func (c *Config) DatabaseFlags() []cli.Flag {
	c.zoned = true
	return append(c.ConnectionFlags(), stringFlag(&c.TimeZone, "timezone", defaults.TimeZone,
		"IANA `name` of the time zone in which instants are shown, and which determines the month of a payment; the first start "+
			"records it in the database, and later starts must use the same one (see kontor timezone)"))
}

// RecordFlags returns the flags of every command that is about the records of one company.
func (c *Config) RecordFlags() []cli.Flag { return append(c.DatabaseFlags(), c.CompanyFlag()) }

// CompanyFlag returns the flag that chooses the company of a command.
func (c *Config) CompanyFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "company", Destination: &c.CompanyName, DefaultText: "the default company",
		Usage: "`name` of the company, in whose time zone the command runs (see kontor company)",
	}
}

// ConnectionFlags returns the flags of every command that needs the database.
func (c *Config) ConnectionFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag(&c.DatabaseURL, "database-url", "",
			"`URL` of a PostgreSQL database; without one, a private PostgreSQL in the data directory is used"),
		stringFlag(&c.DataDir, "data-dir", localpg.DefaultDir(),
			"`folder` of the private PostgreSQL"),
	}
}

// AddressFlags returns the flags for the address of the service.
func (c *Config) AddressFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag(&c.Listen, "listen", defaults.Listen,
			"`address` and port that the service listens on"),
		stringFlag(&c.RawBaseURL, "base-url", "",
			"public `URL` of the service, used in Link and Location; without one, the scheme and the host of the request are used"),
		stringFlag(&c.TLSCert, "tls-cert", "",
			"`file` (PEM) of the TLS certificate, followed by those of its issuers; "+
				"SIGHUP reloads it; without one, the service uses clear text"),
		stringFlag(&c.TLSKey, "tls-key", "",
			"`file` (PEM) of the certificate's private key"),
	}
}

// ServeFlags returns the flags of kontor serve, in the order of its help.
func (c *Config) ServeFlags() []cli.Flag {
	c.serving = true
	return slices.Concat(c.DatabaseFlags(), c.AddressFlags(), c.apiFlags(), c.limitFlags(), c.timeFlags(), c.logFlags())
}

func (c *Config) apiFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag(&c.AdminListen, "admin-listen", "",
			"`address` and port for operators: /metrics, /healthz, /readyz, /version and /debug/pprof/, without a token; "+
				"without one, there are no metrics"),
		stringFlag(&c.RawProxies, "trusted-proxies", "",
			"comma-separated `addresses` and networks, such as 10.0.0.7,192.168.0.0/16, whose X-Forwarded-Proto, "+
				"X-Forwarded-Host and X-Forwarded-For are trusted; with --base-url the first two are not needed"),
		stringFlag(&c.RawOrigins, "cors-origins", "",
			"comma-separated `origins`, such as https://app.example.org,http://localhost:3000, whose scripts may read responses in a browser; "+
				"* allows all, and without any no CORS headers are sent"),
		stringFlag(&c.DefaultFormat, "default-format", defaults.DefaultFormat,
			"`format` of responses to requests that ask for none: json, xml, or documented: XML for user, status and invoice, otherwise JSON"),
		&cli.Int64Flag{
			Name: "max-body", Sources: env("max-body"), Destination: &c.MaxBody, Value: defaults.MaxBody,
			Usage: "maximum size of a request body, in `bytes`",
		},
		&cli.BoolFlag{
			Name: "lenient", Sources: env("lenient"), Destination: &c.Lenient, DefaultText: "false",
			Usage: "ignore unknown attributes and parameters, for programs of the older service, and say so in Kontor-Warning and the log",
		},
		&cli.BoolFlag{
			Name: "public-lists", Sources: env("public-lists"), Destination: &c.PublicLists, DefaultText: "false",
			Usage: "allow reading user (names only), status, deal-type and invoice-type without a token",
		},
	}
}

func (c *Config) limitFlags() []cli.Flag {
	return []cli.Flag{
		&cli.Float64Flag{
			Name: "rate-limit", Sources: env("rate-limit"), Destination: &c.RateLimit, Value: defaults.RateLimit,
			Usage: "maximum `number` of requests per second that one token may make to this instance; 0: unlimited",
		},
		intFlag(&c.MaxRequests, "max-requests", defaults.MaxRequests,
			"maximum `number` of in-flight requests; more are rejected with a 503"),
		intFlag(&c.CallerShare, "caller-share", defaults.CallerShare,
			"maximum `percentage` of the in-flight requests and of the slow connections that one token may hold, "+
				"or one IP address without a valid token; 100: all"),
		intFlag(&c.MaxConnections, "max-connections", defaults.MaxConnections,
			"maximum `number` of connections to the database for all companies, of which one company uses at most half"),
		&cli.IntFlag{
			Name: "slow-connections", Sources: env("slow-connections"), Destination: &c.SlowConnections,
			DefaultText: "a sixteenth of --max-connections",
			Usage:       "maximum `number` of these connections for slow queries, such as a search for a text; further ones wait",
		},
	}
}

func (c *Config) timeFlags() []cli.Flag {
	return []cli.Flag{
		durationFlag(&c.RequestTimeout, "request-timeout", defaults.RequestTimeout,
			"`duration` after which a request is aborted"),
		durationFlag(&c.StatementTimeout, "statement-timeout", defaults.StatementTimeout,
			"`duration` after which the database cancels a statement"),
		durationFlag(&c.LockTimeout, "lock-timeout", defaults.LockTimeout,
			"`duration` after which the database cancels a statement that waits for another writer"),
		durationFlag(&c.DrainDelay, "drain-delay", defaults.DrainDelay,
			"`duration` for which a stopping service keeps accepting requests, while /readyz returns 503; "+
				"behind a proxy, it must be longer than the proxy takes to notice"),
		durationFlag(&c.ShutdownAfter, "shutdown-timeout", defaults.ShutdownAfter,
			"`duration` that in-flight requests have to finish when the service is stopped"),
	}
}

func (c *Config) logFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag(&c.LogFormat, "log-format", defaults.LogFormat,
			"`format` of the log: json, text, or auto: text on a terminal, otherwise json"),
		stringFlag(&c.RawLevel, "log-level", defaults.RawLevel,
			"lowest `level` of events in the log: debug, info, warn or error"),
	}
}
