// Package optional holds values that a writer may leave out, which is not the
// same as sending an empty one: an attribute left out stays unchanged.
package optional

// Of is a value that may be absent. The zero value is absent.
type Of[T any] struct {
	value T
	set   bool
}

// Some is a value that is there.
func Some[T any](v T) Of[T] { return Of[T]{value: v, set: true} }

// Get is the value and whether it is there.
func (o Of[T]) Get() (T, bool) { return o.value, o.set }

// Or is the value, or other if it is absent.
func (o Of[T]) Or(other T) T {
	if o.set {
		return o.value
	}
	return other
}

// IsSet reports whether the value is there.
func (o Of[T]) IsSet() bool { return o.set }
