package data

import (
	"fmt"

	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/optional"
)

// lineNumbers is how many lines the invoices of a block have: three on average,
// so that the ids of an invoice's lines can be computed without counting all
// lines before it. Their order differs from block to block.
var lineNumbers = []uint64{0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 7, 9, 11}

// linesBefore is how many lines the first n invoices have.
func (b *Company) linesBefore(n uint64) uint64 {
	block := uint64(len(lineNumbers))
	before := n / block * 3 * block
	for place := range n % block {
		before += b.linesAt(n/block, place)
	}
	return before
}

// linesAt is how many lines the invoice at a place of a block has.
func (b *Company) linesAt(block, place uint64) uint64 {
	d := b.random(ofLineCounts, block)
	all := uint64(len(lineNumbers))
	first, step := d.below(all), 2*d.below(all/2)+1
	// An odd step leads through all places, as their number is a power of two.
	return lineNumbers[(first+place*step)%all]
}

// linesOf is the lines of the n-th invoice.
func (b *Company) linesOf(n uint64) []invoice.LineAttributes {
	block := uint64(len(lineNumbers))
	lines := make([]invoice.LineAttributes, b.linesAt(n/block, n%block))
	d := b.random(ofLine, n)
	for i := range lines {
		p := pick(&d, b.products)
		lines[i] = invoice.LineAttributes{
			Name:  some(p.name),
			Units: some(p.units),
			Count: optional.Some(pick(&d, p.counts)),
			Price: optional.Some(pick(&d, p.prices)),
		}
	}
	return lines
}

// product is something that many invoices sell.
type product struct {
	name, thing string
	units       string
	prices      []money.Amount   // over the years
	counts      []money.Quantity // in which it is sold
}

var materials = []string{"Ash", "Beech", "Birch", "Brass", "Cherry", "Copper", "Eiche", "Glass", "Larch", "Linen", "Oak", "Steel", "Walnut", "Zinc"}

var things = []string{
	"bench", "bookshelf", "cabinet", "chair", "counter", "desk", "door", "drawer", "frame", "handle", "hinge", "lamp",
	"panel", "rail", "Schrank", "shelf", "stool", "table", "Tür", "worktop",
}

// The counts of single units, and of measured quantities.
var (
	units    = []string{"1", "1", "1", "1", "2", "2", "3", "4", "5", "6", "8", "10", "12", "24", "50", "100", "-1"}
	measured = []string{"0.5", "0.75", "1", "1.25", "1.333333", "2", "2.5", "3.125", "7.25", "8", "12.5", "40", "0.015625"}
)

// makeProducts makes goods of every material, services, and a few discounts.
func (b *Company) makeProducts() error {
	for _, material := range materials {
		for _, thing := range things {
			if err := b.addProduct(material+" "+thing, thing, "pcs", units, 1); err != nil {
				return err
			}
		}
	}
	for _, service := range []string{"Assembly", "Cleaning", "Consulting", "Delivery", "Montage", "Planning", "Repair", "Storage"} {
		for _, units := range []string{"h", "day", "m²", ""} {
			if err := b.addProduct(service, service, units, measured, 1); err != nil {
				return err
			}
		}
	}
	for _, discount := range []string{"Discount", "Rabatt", "Refund of deposit", "Skonto", "Voucher", "Credit for returns"} {
		if err := b.addProduct(discount, "goods", "", []string{"1"}, -1); err != nil {
			return err
		}
	}
	return nil
}

// addProduct adds a product with four prices: most in whole cents, some finer.
// The sign is 1 or -1.
func (b *Company) addProduct(name, thing, units string, counts []string, sign int64) error {
	d := b.random(ofProduct, uint64(len(b.products)))
	p := product{name: name, thing: thing, units: units}
	for _, s := range counts {
		count, err := money.ParseQuantity(s)
		if err != nil {
			return fmt.Errorf("count %s of %s: %w", s, name, err)
		}
		p.counts = append(p.counts, count)
	}
	price := int64(5_000 + d.skewed(9_000_000, abrupt)) // in ten-thousandths
	for range 4 {
		price += price / 50
		if d.percent(80) {
			price -= price % 100
		}
		s := fmt.Sprintf("%de-4", sign*price)
		amount, err := money.ParseAmount(s)
		if err != nil {
			return fmt.Errorf("price %s of %s: %w", s, name, err)
		}
		p.prices = append(p.prices, amount)
	}
	b.products = append(b.products, p)
	return nil
}
