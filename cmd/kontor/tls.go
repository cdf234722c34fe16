package main

import (
	"log/slog"
	"net"
	"net/http"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

const inClear = bootstrap.InClear + ": " + bootstrap.Encrypt

// secure has the server speak TLS if the operator wants it, and warns one who
// should.
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

// answer serves until the server is shut down, in TLS if it was told to.
func answer(server *http.Server, listener net.Listener) error {
	if server.TLSConfig == nil {
		return server.Serve(listener)
	}
	return server.ServeTLS(listener, "", "")
}
