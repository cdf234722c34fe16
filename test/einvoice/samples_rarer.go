package einvoice

import (
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/performer"
)

// rarer adds what fewer invoices have.
func (s sampler) rarer(src *billing.Source) {
	if s.IntN(4) == 0 {
		src.Seller.VATReasonCode = pick(s, performer.Exemptions...)
	}
}
