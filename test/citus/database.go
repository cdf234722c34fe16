package citus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Distribute makes the databases of that name on all nodes one distributed database. They
// exist already.
func Distribute(ctx context.Context, coordinator string, workers ...string) error {
	for _, url := range append([]string{coordinator}, workers...) {
		if err := execute(ctx, url, "create extension if not exists citus"); err != nil {
			return fmt.Errorf("create the extension: %w", err)
		}
	}
	config, err := pgx.ParseConfig(coordinator)
	if err != nil {
		return fmt.Errorf("read the URL of the coordinator: %w", err)
	}
	if err := execute(ctx, coordinator, "select citus_set_coordinator_host($1, $2)", config.Host, int(config.Port)); err != nil {
		return fmt.Errorf("name the coordinator: %w", err)
	}
	for _, url := range workers {
		if config, err = pgx.ParseConfig(url); err != nil {
			return fmt.Errorf("read the URL of a worker: %w", err)
		}
		if err := execute(ctx, coordinator, "select citus_add_node($1, $2)", config.Host, int(config.Port)); err != nil {
			return fmt.Errorf("add a worker: %w", err)
		}
	}
	return nil
}

func execute(ctx context.Context, url, sql string, args ...any) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, err = conn.Exec(ctx, sql, args...)
	return err
}

// PlaceSchema makes a distributed schema without tables on a worker, and the extension with
// trigrams outside of it. Citus takes the workers in turns, and the first table of a schema
// shows which one it is on: the schema is made again until that is the worker.
func PlaceSchema(ctx context.Context, coordinator, worker, schema string) error {
	to, err := pgx.ParseConfig(worker)
	if err != nil {
		return fmt.Errorf("read the URL of a worker: %w", err)
	}
	conn, err := pgx.Connect(ctx, coordinator)
	if err != nil {
		return fmt.Errorf("connect to the coordinator: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, sql := range []string{"create extension if not exists pg_trgm", "set citus.enable_schema_based_sharding = on"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("prepare the database: %w", err)
		}
	}
	for range 20 {
		if isPlaced, err := place(ctx, conn, to, schema); err != nil || isPlaced {
			return err
		}
	}
	return errors.New("no schema was placed on the worker")
}

func place(ctx context.Context, conn *pgx.Conn, to *pgx.ConnConfig, schema string) (isPlaced bool, err error) {
	for _, sql := range []string{"create schema " + schema, "create table " + schema + ".probe (id bigint)"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return false, fmt.Errorf("make a distributed schema: %w", err)
		}
	}
	err = conn.QueryRow(ctx, `
select n.nodename = $1 and n.nodeport = $2
from pg_dist_shard s
join pg_dist_placement p using (shardid)
join pg_dist_node n using (groupid)
where s.logicalrelid = $3::text::regclass`, to.Host, int(to.Port), schema+".probe").Scan(&isPlaced)
	if err != nil {
		return false, fmt.Errorf("look for the schema: %w", err)
	}
	drop := "drop schema " + schema + " cascade"
	if isPlaced {
		drop = "drop table " + schema + ".probe"
	}
	_, err = conn.Exec(ctx, drop)
	return isPlaced, err
}
