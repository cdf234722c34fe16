package listdef

// Clients declares the read models of clients.
var Clients = &List{
	Table: "clients", CreatedAt: "created_at", TextKey: "name_key", Search: "client_search",
	Changes: "client_changes",
	Columns: []Column{number("user_id", "bigint"), number("type", "smallint")},
	Rollup: &Rollup{
		Table: "client_totals",
		Keys:  []Key{{Name: "user_id", Any: true}, {Name: "type"}},
	},
}
