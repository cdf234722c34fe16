// Package optional contains values that may be absent, which differs from
// empty: an absent attribute stays unchanged, an empty one is cleared.
package optional

// Of is a value that may be absent. The zero value is absent.
type Of[T any] struct {
	value T
	set   bool
}

// Some returns a value that is present.
func Some[T any](v T) Of[T] { return Of[T]{value: v, set: true} }

// Get returns the value and whether it is present.
func (o Of[T]) Get() (T, bool) { return o.value, o.set }

// Or returns the value, or other if it is absent.
func (o Of[T]) Or(other T) T {
	if o.set {
		return o.value
	}
	return other
}

// IsSet reports whether the value is present.
func (o Of[T]) IsSet() bool { return o.set }
