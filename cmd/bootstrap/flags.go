package bootstrap

import (
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/kontor-crm/kontor/adapters/localpg"
)

// env names the environment variables that stand for a flag.
func env(name string) cli.ValueSourceChain { return cli.EnvVars("KONTOR_" + name) }

// DatabaseFlags returns the flags of every command that uses the records in the database.
func (c *Config) DatabaseFlags() []cli.Flag {
	c.zoned = true
	return append(c.ConnectionFlags(), &cli.StringFlag{
		Name: "timezone", Sources: env("TIMEZONE"), Destination: &c.TimeZone, Value: defaults.TimeZone,
		Usage: "IANA `name` of the time zone in which instants are shown, and which determines the month of a payment; the first start " +
			"records it in the database, and later starts must use the same one (see kontor timezone)",
	})
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
		&cli.StringFlag{
			Name: "database-url", Sources: env("DATABASE_URL"), Destination: &c.DatabaseURL,
			Usage: "`URL` of a PostgreSQL database; without one, a private PostgreSQL in the data directory is used",
		},
		&cli.StringFlag{
			Name: "data-dir", Sources: env("DATA_DIR"), Destination: &c.DataDir, Value: localpg.DefaultDir(),
			Usage: "`folder` of the private PostgreSQL",
		},
	}
}

// AddressFlags returns the flags for the address of the service.
func (c *Config) AddressFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "listen", Sources: env("LISTEN"), Destination: &c.Listen, Value: defaults.Listen,
			Usage: "`address` and port that the service listens on",
		},
		&cli.StringFlag{
			Name: "base-url", Sources: env("BASE_URL"), Destination: &c.RawBaseURL,
			Usage: "public `URL` of the service, used in Link and Location; without one, the scheme and the host of the request are used",
		},
		&cli.StringFlag{
			Name: "tls-cert", Sources: env("TLS_CERT"), Destination: &c.TLSCert,
			Usage: "`file` (PEM) of the TLS certificate, followed by those of its issuers; " +
				"reloaded when it changes; without one, the service uses clear text",
		},
		&cli.StringFlag{
			Name: "tls-key", Sources: env("TLS_KEY"), Destination: &c.TLSKey,
			Usage: "`file` (PEM) of the certificate's private key",
		},
	}
}

// ServeFlags returns the flags of kontor serve, in the order of its help.
func (c *Config) ServeFlags() []cli.Flag {
	c.serving = true
	return slices.Concat(c.DatabaseFlags(), c.AddressFlags(), c.replicaFlags(), c.apiFlags(), c.limitFlags(), c.timeFlags(), c.logFlags())
}

func (c *Config) apiFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "admin-listen", Sources: env("ADMIN_LISTEN"), Destination: &c.AdminListen,
			Usage: "`address` and port for operators: /metrics, /healthz, /readyz, /version and /debug/pprof/, without a token; " +
				"without one, there are no metrics",
		},
		&cli.StringFlag{
			Name: "trusted-proxies", Sources: env("TRUSTED_PROXIES"), Destination: &c.RawProxies,
			Usage: "comma-separated `addresses` and networks, such as 10.0.0.7,192.168.0.0/16, whose X-Forwarded-Proto, X-Forwarded-Host and X-Forwarded-For are trusted; " +
				"with --base-url the first two are not needed",
		},
		&cli.StringFlag{
			Name: "cors-origins", Sources: env("CORS_ORIGINS"), Destination: &c.RawOrigins,
			Usage: "comma-separated `origins`, such as https://app.example.org,http://localhost:3000, whose scripts may read responses in a browser; " +
				"* allows all, and without any no CORS headers are sent",
		},
		&cli.StringFlag{
			Name: "default-format", Sources: env("DEFAULT_FORMAT"), Destination: &c.DefaultFormat, Value: defaults.DefaultFormat,
			Usage: "`format` of responses to requests that ask for none: json, xml, or documented: XML for user, status and invoice, otherwise JSON",
		},
		&cli.Int64Flag{
			Name: "max-body", Sources: env("MAX_BODY"), Destination: &c.MaxBody, Value: defaults.MaxBody,
			Usage: "maximum size of a request body, in `bytes`",
		},
		&cli.BoolFlag{
			Name: "citus-direct", Sources: env("CITUS_DIRECT"), Destination: &c.CitusDirect, Value: defaults.CitusDirect, DefaultText: "true",
			Usage: "on Citus, connect directly to the worker that has the records of a company; false: all statements go through the coordinator",
		},
		&cli.BoolFlag{
			Name: "public-lists", Sources: env("PUBLIC_LISTS"), Destination: &c.PublicLists, DefaultText: "false",
			Usage: "allow reading user (names only), status, deal-type and invoice-type without a token",
		},
	}
}

func (c *Config) limitFlags() []cli.Flag {
	return []cli.Flag{
		&cli.Float64Flag{
			Name: "rate-limit", Sources: env("RATE_LIMIT"), Destination: &c.RateLimit, Value: defaults.RateLimit,
			Usage: "maximum `number` of requests per second that one token may make to this instance; 0: unlimited",
		},
		&cli.IntFlag{
			Name: "max-requests", Sources: env("MAX_REQUESTS"), Destination: &c.MaxRequests, Value: defaults.MaxRequests,
			Usage: "maximum `number` of in-flight requests; more are rejected with a 503",
		},
		&cli.StringFlag{
			Name: "pooler-url", Sources: env("POOLER_URL"), Destination: &c.PoolerURL,
			Usage: "`URL` of a connection pooler in front of the database, such as PgBouncer in transaction mode, for the statements of requests; " +
				"migrations, read models and commands use the database itself",
		},
		&cli.IntFlag{
			Name: "caller-share", Sources: env("CALLER_SHARE"), Destination: &c.CallerShare, Value: defaults.CallerShare,
			Usage: "maximum `percentage` of the in-flight requests, of the memory budget and of the slow connections that one token may hold, " +
				"or one IP address without a valid token, and of the connections that one company may hold; 100: all",
		},
		&cli.IntFlag{
			Name: "max-connections", Sources: env("MAX_CONNECTIONS"), Destination: &c.MaxConnections, Value: defaults.MaxConnections,
			Usage: "maximum `number` of connections to the database for requests",
		},
		&cli.IntFlag{
			Name: "slow-connections", Sources: env("SLOW_CONNECTIONS"), Destination: &c.SlowConnections, DefaultText: "an eighth of --max-connections",
			Usage: "maximum `number` of these connections for slow queries, such as the first search for a text; further ones wait",
		},
	}
}

func (c *Config) timeFlags() []cli.Flag {
	return []cli.Flag{
		&cli.DurationFlag{
			Name: "request-timeout", Sources: env("REQUEST_TIMEOUT"), Destination: &c.RequestTimeout, Value: defaults.RequestTimeout,
			Usage: "`duration` after which a request is aborted",
		},
		&cli.DurationFlag{
			Name: "statement-timeout", Sources: env("STATEMENT_TIMEOUT"), Destination: &c.StatementTimeout, Value: defaults.StatementTimeout,
			Usage: "`duration` after which the database cancels a statement",
		},
		&cli.DurationFlag{
			Name: "lock-timeout", Sources: env("LOCK_TIMEOUT"), Destination: &c.LockTimeout, Value: defaults.LockTimeout,
			Usage: "`duration` after which the database cancels a statement that waits for another writer",
		},
		&cli.DurationFlag{
			Name: "drain-delay", Sources: env("DRAIN_DELAY"), Destination: &c.DrainDelay, Value: defaults.DrainDelay,
			Usage: "`duration` for which a stopping service keeps accepting requests, while /readyz returns 503; " +
				"behind a proxy, it must be longer than the proxy takes to notice",
		},
		&cli.DurationFlag{
			Name: "shutdown-timeout", Sources: env("SHUTDOWN_TIMEOUT"), Destination: &c.ShutdownAfter, Value: defaults.ShutdownAfter,
			Usage: "`duration` that in-flight requests have to finish when the service is stopped",
		},
	}
}

func (c *Config) logFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "log-format", Sources: env("LOG_FORMAT"), Destination: &c.LogFormat, Value: defaults.LogFormat,
			Usage: "`format` of the log: json, text, or auto: text on a terminal, otherwise json",
		},
		&cli.StringFlag{
			Name: "log-level", Sources: env("LOG_LEVEL"), Destination: &c.RawLevel, Value: defaults.RawLevel,
			Usage: "lowest `level` of events in the log: debug, info, warn or error",
		},
	}
}
