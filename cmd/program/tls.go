package program

import (
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

const inClear = bootstrap.InClear + ": " + bootstrap.Encrypt

// secure configures TLS if there is a certificate, which SIGHUP reloads until stop is called.
// Otherwise it logs a warning if tokens travel in clear text.
func secure(server *http.Server, c bootstrap.Config, log *slog.Logger) (stop func(), err error) {
	certificate, err := bootstrap.OpenCertificate(c, log)
	if err != nil {
		return nil, err
	}
	if c.SpeaksInClear() {
		log.Warn(inClear, "listen", c.Listen)
	}
	if certificate == nil {
		return func() {}, nil
	}
	server.TLSConfig = certificate.TLS()
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	go func() {
		for range reload {
			certificate.Reload()
		}
	}()
	return func() {
		signal.Stop(reload)
		close(reload)
	}, nil
}

func serveHTTP(server *http.Server, listener net.Listener) error {
	if server.TLSConfig == nil {
		return server.Serve(listener)
	}
	return server.ServeTLS(listener, "", "")
}
