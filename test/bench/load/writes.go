package load

import (
	"context"
	"errors"
	"slices"
)

// Widening is one kind of write over few connections and over many.
type Widening struct {
	Kind      string
	Few, Many Sample
	Ratio     float64 // the rate over many over that over few
}

const fewWriters, manyWriters = 4, 16

// compareWrites measures what the read models cost: creations by Kontor, and by the same program with
// a store that keeps none. The read models of the database are wrong afterwards.
func (b *bench) compareWrites(ctx context.Context) (err error) {
	site := b.big()
	kontor, err := b.kontor(ctx, len(b.sites)-1)
	if err != nil {
		return err
	}
	var creations []*Kind
	for _, k := range writesOf(site.facts) {
		if k.way == created && (len(b.Kinds) == 0 || slices.Contains(b.Kinds, k.Name)) {
			creations = append(creations, k)
		}
	}
	b.report.writeWideningHead(b.Out)
	for _, k := range creations {
		w, err := b.widened(ctx, k, site, kontor)
		if err != nil {
			return err
		}
		b.report.Widening = append(b.report.Widening, w)
		b.report.writeWidening(b.Out, w)
	}
	plain, err := itself(ctx, "plain", "-database", site.URL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plain.Stop()) }()
	b.report.writePlainHead(b.Out)
	for _, k := range creations {
		c, err := b.compare(ctx, k, site, kontor, plain, b.Connections[0])
		if err != nil {
			return err
		}
		b.report.Plain = append(b.report.Plain, c)
		b.report.writeComparison(b.Out, c)
	}
	return nil
}

func (b *bench) widened(ctx context.Context, k *Kind, site *Site, kontor *Process) (Widening, error) {
	var few, many []Sample
	for range b.Rounds {
		s, err := b.measure(ctx, kontor, site.Label, site, k, fewWriters, b.Duration)
		if err != nil {
			return Widening{}, err
		}
		few = append(few, s)
		if s, err = b.measure(ctx, kontor, site.Label, site, k, manyWriters, b.Duration); err != nil {
			return Widening{}, err
		}
		many = append(many, s)
	}
	w := Widening{Kind: k.Name, Few: mid(few), Many: mid(many)}
	w.Ratio = paired(Sample.Rate, few, many)
	return w, nil
}
