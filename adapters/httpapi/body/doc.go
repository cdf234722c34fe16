// Package body receives and decodes the bodies of writes: JSON, XML and both kinds of
// form become the same tree of values.
//
// Chose: limits on a body by its bytes, its values and its depth. Because: decoding can multiply
// the size of a body by hundreds. Costs: a counter in every decoder.
package body
