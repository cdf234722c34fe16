// Package citus starts clusters of Citus for tests: a coordinator and workers on this
// machine, in memory, without durability.
package citus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/kontor-crm/kontor/test/pgserver"
)

// Host is the address of all nodes.
const Host = pgserver.Host

// ErrNotInstalled is the error of a machine without Citus.
var ErrNotInstalled = errors.New("no PostgreSQL with Citus is installed here (citus.so)")

// settings make a node small, fast and not durable. Each database has a maintenance
// process on each node.
var settings = []string{
	"shared_preload_libraries=citus",
	"fsync=off",
	"full_page_writes=off",
	"wal_level=logical", // for moves
	"shared_buffers=64MB",
	"max_connections=400",
	"max_prepared_transactions=400",
	"max_worker_processes=200",
	"max_wal_senders=20",
	"max_replication_slots=20",
	"autovacuum=off",
	"timezone=UTC",
	"lc_messages=C",
	"citus.enable_statistics_collection=off",
	"citus.max_shared_pool_size=300",
	"citus.show_shards_for_app_name_prefixes=",
}

// Node is a server of a cluster.
type Node = pgserver.Server

// Cluster is a coordinator and its workers.
type Cluster struct {
	folder   string
	programs string
	Nodes    []*Node // the coordinator is the first
}

// Start starts a cluster with that many workers. The error is ErrNotInstalled if there is no
// PostgreSQL with Citus on this machine.
func Start(ctx context.Context, workers int) (*Cluster, error) {
	programs, err := pgserver.Programs("lib/citus.so")
	if err != nil {
		return nil, ErrNotInstalled
	}
	pgserver.Sweep(folderPrefix)
	c := &Cluster{programs: programs}
	if c.folder, err = pgserver.MakeFolder(folderPrefix); err != nil {
		return nil, fmt.Errorf("make a folder for Citus: %w", err)
	}
	for range 1 + workers {
		if _, err := c.AddWorker(ctx); err != nil {
			return nil, errors.Join(err, c.Stop())
		}
	}
	return c, nil
}

// AddWorker starts a node that is not part of the cluster of any database yet.
func (c *Cluster) AddWorker(ctx context.Context) (*Node, error) {
	n, err := pgserver.New(c.programs, c.folder, "node"+strconv.Itoa(len(c.Nodes)), settings...)
	if err != nil {
		return nil, err
	}
	c.Nodes = append(c.Nodes, n)
	if len(c.Nodes) == 1 {
		err = n.Init()
	} else { // initdb takes seconds
		err = n.CopyFrom(c.Nodes[0])
	}
	if err != nil {
		return nil, err
	}
	err = n.Start(ctx)
	return n, err
}

// URL is the address of a database on the coordinator.
func (c *Cluster) URL(database string) string { return c.Nodes[0].URL(database) }

// Stop stops all nodes and removes their data.
func (c *Cluster) Stop() error {
	for _, n := range c.Nodes {
		n.Kill()
	}
	return os.RemoveAll(c.folder)
}

// folderPrefix begins the names of the clusters' folders.
const folderPrefix = "kontor-citus-"
