# An image of the Kontor program and CA certificates, and nothing else: no shell, no packages, and a
# numeric user.
#
#   docker build -t kontor .     compiles in a container
#   make image                   compiles on this machine and needs no registry (stage "prebuilt")
#
# It contains no PostgreSQL, so KONTOR_DATABASE_URL is required. It writes nothing to the file system:
# run it with --read-only.

FROM scratch AS base
ENV KONTOR_LISTEN=:8080
EXPOSE 8080
USER 65532:65532
# Whether the process responds: a database that is down is no reason to replace the container.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["/kontor", "health"]
ENTRYPOINT ["/kontor"]
CMD ["serve"]
LABEL org.opencontainers.image.title="Kontor" \
      org.opencontainers.image.description="CRM and invoicing over HTTP" \
      org.opencontainers.image.source="https://github.com/kontor-crm/kontor" \
      org.opencontainers.image.licenses="Apache-2.0"

# Before the stage that compiles, because some builders run every stage up to the target.
FROM base AS prebuilt
ARG VERSION=devel
ARG COMMIT=
LABEL org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$COMMIT
COPY .bin/image/ /

FROM golang:1.26 AS compiled
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
ARG COMMIT=
ARG DATE=
RUN .ci/build /kontor

FROM base
ARG VERSION=devel
ARG COMMIT=
LABEL org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$COMMIT
COPY --from=compiled /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=compiled /kontor /kontor
