// Package paper writes billing documents for people: as PDF and as HTML. Both say the same in the
// same words, because both lay out one sheet of texts; nothing is computed here.
package paper
