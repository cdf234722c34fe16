package program

import (
	"log/slog"
	"net"
	"net/http"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

const inClear = bootstrap.InClear + ": " + bootstrap.Encrypt

// secure configures TLS if there is a certificate, and otherwise logs a warning if
// tokens travel in clear text.
func secure(server *http.Server, c bootstrap.Config, log *slog.Logger) error {
	certificate, err := bootstrap.OpenCertificate(c, log)
	if err != nil {
		return err
	}
	server.TLSConfig = certificate.TLS()
	if c.SpeaksInClear() {
		log.Warn(inClear, "listen", c.Listen)
	}
	return nil
}

func serveHTTP(server *http.Server, listener net.Listener) error {
	if server.TLSConfig == nil {
		return server.Serve(listener)
	}
	return server.ServeTLS(listener, "", "")
}
