package listdef

// Deals declares the read models of deals.
var Deals = &List{
	Table: "deals", CreatedAt: "created_at", TextKey: "name_key", Search: "deal_search",
	Changes: "deal_changes",
	Columns: []Column{
		nullableNumber("client_id", "bigint"), number("user_id", "bigint"), nullableNumber("type_id", "bigint"), number("status_id", "bigint"),
	},
	Rollup: &Rollup{
		Table: "deal_totals",
		Keys:  []Key{{Name: "user_id", Any: true}, {Name: "type_id", Null: "0"}, {Name: "status_id"}},
	},
	ClientCount: "deals",
}
