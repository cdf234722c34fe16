package listdef

// Offers and Contracts declare the read models of agreements, which are counted for
// the client of their deal.
var (
	Offers    = agreements("offers", "offer")
	Contracts = agreements("contracts", "contract")
)

func agreements(table, kind string) *List {
	return &List{
		Table: table, CreatedAt: "created_on", TextKey: "number_key", Search: kind + "_search",
		Changes:     kind + "_changes",
		Columns:     []Column{{Name: "client_id", Type: "bigint", Nullable: true, Record: "d.client_id"}},
		Join:        "join deals d on d.id = r.deal_id",
		ClientCount: table,
	}
}
