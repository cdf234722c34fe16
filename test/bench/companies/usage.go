package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/bench/load"
	"github.com/kontor-crm/kontor/test/bench/service"
)

// times are CPU times, of the service and of the database server.
type times struct{ service, database time.Duration }

func (t times) String() string {
	return fmt.Sprintf("%s of the service and %s of the database", t.service.Round(time.Microsecond), t.database.Round(time.Microsecond))
}

// processorTimes are those since the start. The time of the database is 0 if it runs on another
// machine.
func processorTimes(ctx context.Context, databaseURL string, of *service.Service) (t times, err error) {
	err = connected(ctx, databaseURL, func(conn *pgx.Conn) error {
		t.service = load.ProcessorTimeOfTree(of.PID())
		t.database = load.ProcessorTimeOfTree(load.PostmasterBehind(conn.PgConn()))
		return nil
	})
	return t, err
}

// printConnections prints how many connections the service has.
func printConnections(ctx context.Context, databaseURL string) error {
	return connected(ctx, databaseURL, func(conn *pgx.Conn) error {
		var connections int
		err := conn.QueryRow(ctx, "select count(*) from pg_stat_activity where application_name like 'kontor%'").Scan(&connections)
		fmt.Printf("connections: %d\n", connections)
		return err
	})
}

func connected(ctx context.Context, databaseURL string, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return do(conn)
}
