package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/modules/postgres"
)

// image is the official image of the oldest supported PostgreSQL.
const image = "postgres:15-bookworm"

// Docker's time limits, after which the tests go on without it.
const (
	answerTime = 5 * time.Second  // to report its health
	pullTime   = 90 * time.Second // to fetch the image
	startTime  = 60 * time.Second // to start a container of a local image
)

// startContainer starts PostgreSQL in a container of its own. The error is
// errNoDocker if there is no Docker.
func startContainer(ctx context.Context) (server, error) {
	log.SetDefault(log.NewNoopLogger())
	provider, err := within(ctx, answerTime, findDocker)
	if err != nil {
		return server{}, fmt.Errorf("%w: %w", errNoDocker, err)
	}
	if err := fetchImage(ctx, provider); err != nil {
		return server{}, err
	}
	container, err := within(ctx, startTime, runPostgres)
	if err != nil {
		return server{}, fmt.Errorf("start a container of %s: %w", image, err)
	}
	url, err := container.ConnectionString(ctx, "sslmode=disable")
	if err != nil {
		return server{}, errors.Join(fmt.Errorf("read the container's URL: %w", err), terminate(ctx, container))
	}
	return server{
		name: "a container of " + image,
		url:  url,
		stop: func(ctx context.Context) error { return terminate(ctx, container) },
	}, nil
}

func findDocker(ctx context.Context) (*testcontainers.DockerProvider, error) {
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return nil, err
	}
	if err := provider.Health(ctx); err != nil {
		return nil, err
	}
	return provider, nil
}

// fetchImage pulls the image unless it is there.
func fetchImage(ctx context.Context, provider *testcontainers.DockerProvider) error {
	list, err := within(ctx, answerTime, provider.ListImages)
	if err != nil {
		return fmt.Errorf("list the images: %w", err)
	}
	for _, at := range list {
		if at.Name == image {
			return nil
		}
	}
	fmt.Fprintln(os.Stderr, "pgtest: fetching the image", image)
	_, err = within(ctx, pullTime, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, provider.PullImage(ctx, image)
	})
	if err != nil {
		return fmt.Errorf("fetch the image %s: %w", image, err)
	}
	return nil
}

func runPostgres(ctx context.Context) (*postgres.PostgresContainer, error) {
	arguments := []string{"postgres"}
	for name, value := range settings {
		arguments = append(arguments, "-c", name+"="+value)
	}
	// Passwords are not checked, because that takes both sides milliseconds for each connection. Data
	// in memory: see package memfolder.
	container, err := postgres.Run(ctx, image, testcontainers.WithCmd(arguments...), postgres.BasicWaitStrategies(),
		testcontainers.WithEnv(map[string]string{"POSTGRES_HOST_AUTH_METHOD": "trust"}),
		testcontainers.WithTmpfs(map[string]string{"/var/lib/postgresql/data": "rw"}))
	if err != nil {
		return nil, errors.Join(err, terminate(context.WithoutCancel(ctx), container))
	}
	return container, nil
}

// terminate stops and removes a container at once; nil is fine.
func terminate(ctx context.Context, container *postgres.PostgresContainer) error {
	if container == nil {
		return nil
	}
	return testcontainers.TerminateContainer(container,
		testcontainers.StopContext(ctx), testcontainers.StopTimeout(0))
}

// within runs a step and abandons it after the time limit, even if it ignores
// its context. A panic becomes an error: the library panics on incomplete Docker
// installations.
func within[T any](ctx context.Context, limit time.Duration, step func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if cause := recover(); cause != nil {
				r.err = fmt.Errorf("panic: %v", cause)
			}
			done <- r
		}()
		r.value, r.err = step(ctx)
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("abandoned after %s: %w", limit, ctx.Err())
	}
}
