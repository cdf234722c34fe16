package postgres

// MaxServed is how many companies a connection serves.
const MaxServed = maxServed

// ShardsAt are tables on a node, with the names of a server without Citus. The check is run before a
// transaction writes.
func ShardsAt(node, check string, names map[string]string) *Shards {
	return &Shards{node: node, names: names, check: check, openings: []string{beginning, check}}
}
