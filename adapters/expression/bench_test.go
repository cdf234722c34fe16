package expression_test

import (
	"context"
	"testing"
)

func BenchmarkJudge(b *testing.B) {
	for name, text := range map[string]string{
		"Compare": `after.status_id == 2 || after.paid`,
		"Decimal": `after.total_price < 5000 || actor.role == "admin"`,
		"Changed": `before == null || before.status_id == after.status_id || after.paid_on != null`,
		"Date":    `now - after.date < duration("2160h")`,
		"Fact":    `facts.unpaid_invoices(after.client_id).count < 5`,
		"Lines":   `after.items.all(i, i.total_price > -1000)`,
		"Number":  `after.number.matches("^R-[0-9]+$")`,
	} {
		b.Run(name, func(b *testing.B) {
			e, err := compile(b, "invoice", text, "no")
			if err != nil {
				b.Fatal(err)
			}
			in := sample()
			b.ReportAllocs()
			for b.Loop() {
				if j := e.Judge(context.Background(), in); !j.Passes {
					b.Fatal(j)
				}
			}
		})
	}
}
