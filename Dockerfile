# Kontor in an image of its own program, the authorities it trusts, and nothing else: no shell, no
# packages, no user but a number.
#
#   docker build -t kontor .     compiles in a container
#   make image                   compiles here and needs no registry (the stage "prebuilt")
#
# There is no PostgreSQL in it, so KONTOR_DATABASE_URL is needed. Nothing is written to the file system:
# run it with --read-only.

FROM scratch AS base
ENV KONTOR_LISTEN=:8080
EXPOSE 8080
USER 65532:65532
ENTRYPOINT ["/kontor"]
CMD ["serve"]
LABEL org.opencontainers.image.title="Kontor" \
      org.opencontainers.image.description="CRM and invoicing over HTTP" \
      org.opencontainers.image.source="https://github.com/kontor-crm/kontor" \
      org.opencontainers.image.licenses="Apache-2.0"

# Before the stage that compiles: builders that make every stage up to the wanted one stop here.
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
