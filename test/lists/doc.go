// Package lists tests what lists show while others write: that the totals, pages
// and counts which readers take from the read models are those that the records
// themselves give in the same snapshot, however the models are folded, made anew
// or missing meanwhile.
package lists
