// Command extension is Kontor with the rules of a company.
package main

import (
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/cmd/program"
)

func main() {
	program.Main(
		rule.Deals.Rules(NoDealsForLatePayers{Days: 60}),
		rule.Invoices.Rules(NumbersAreUnique{}, DiscountsNeedAdmin{Percent: 10}),
		rule.Invoices.Reactions(PaidDealsMove{To: 5}))
}
