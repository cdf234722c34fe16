// Package model tests what keeps the read models: that folding, rebuilding and
// verifying agree with the records and with each other, whoever writes meanwhile.
package model
