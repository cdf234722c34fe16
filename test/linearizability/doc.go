// Package linearizability shows that clients who work on the same records at once see
// one order of events, and that no orphan comes of it.
//
// Some clients read an invoice, pay it, take the payment back, add lines, and do
// so on the condition that it is as they have read it, all at the same time. What each
// asked, when, and what it was told is recorded, and a checker looks for an order
// of these events, one after the other, in which a plain invoice would have told
// the same (linearizability).
package linearizability
