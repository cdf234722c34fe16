// Package citus starts clusters of Citus for tests: a coordinator and workers on this
// machine, in memory, without durability.
//
// Chose servers of its own over package localpg, because the nodes of a cluster reach each
// other by TCP, and localpg's servers have a socket only; costs that starting and stopping
// PostgreSQL is written twice.
package citus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/test/memfolder"
)

// Host is the address of all nodes.
const Host = "127.0.0.1"

// settings make a node small, fast and not durable. Each database has a maintenance
// process on each node.
var settings = []string{
	"shared_preload_libraries=citus",
	"listen_addresses=" + Host,
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

// Cluster is a coordinator and its workers.
type Cluster struct {
	folder  string
	account *account // nil: this process's
	bin     string
	Nodes   []*Node // the coordinator is the first
}

// Start starts a cluster with that many workers. The error is ErrNotInstalled if there is no
// PostgreSQL with Citus on this machine.
func Start(ctx context.Context, workers int) (*Cluster, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	parent := memfolder.Parent()
	sweep(parent)
	c := &Cluster{bin: bin}
	if c.account, err = accountOfServers(); err != nil {
		return nil, err
	}
	if c.folder, err = os.MkdirTemp(parent, folderPrefix+strconv.Itoa(os.Getpid())+"-"); err != nil {
		return nil, fmt.Errorf("make a folder for Citus: %w", err)
	}
	if err := c.start(ctx, workers); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, workers int) error {
	if err := c.account.own(c.folder); err != nil {
		return err
	}
	for range 1 + workers {
		if _, err := c.startNode(ctx); err != nil {
			return err
		}
	}
	return nil
}

// startNode starts a node that is not part of the cluster of any database yet.
func (c *Cluster) startNode(ctx context.Context) (*Node, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	n := &Node{Port: port, bin: c.bin, account: c.account, folder: filepath.Join(c.folder, "node"+strconv.Itoa(len(c.Nodes)))}
	c.Nodes = append(c.Nodes, n)
	if len(c.Nodes) == 1 {
		err = n.initialise(ctx)
	} else { // initdb takes seconds
		err = n.copyOf(ctx, c.Nodes[0])
	}
	if err != nil {
		return nil, err
	}
	if err := n.Start(ctx); err != nil {
		return nil, err
	}
	return n, nil
}

// URL is the address of a database on the coordinator.
func (c *Cluster) URL(database string) string { return c.Nodes[0].URL(database) }

// AddWorker starts another node, which the databases do not know yet.
func (c *Cluster) AddWorker(ctx context.Context) (*Node, error) { return c.startNode(ctx) }

// Stop stops all nodes and removes their data.
func (c *Cluster) Stop() error {
	for _, n := range c.Nodes {
		n.Kill()
	}
	return os.RemoveAll(c.folder)
}

// folderPrefix begins the names of the clusters' folders; the process ID follows.
const folderPrefix = "kontor-citus-"

// sweep stops the servers of killed test processes and removes their folders.
func sweep(parent string) {
	left, err := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
	if err != nil {
		return
	}
	for _, folder := range left {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), folderPrefix), "-")
		if _, err := os.Stat("/proc/" + pid); err == nil {
			continue
		}
		nodes, err := filepath.Glob(filepath.Join(folder, "node*"))
		if err != nil {
			return
		}
		for _, node := range nodes {
			(&Node{folder: node}).killLeft()
		}
		_ = os.RemoveAll(folder)
	}
}
