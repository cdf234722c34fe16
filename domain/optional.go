package domain

// Optional is a value that may be absent, which differs from empty: an absent attribute
// stays unchanged, an empty one is cleared. The zero value is absent.
type Optional[T any] struct {
	value T
	set   bool
}

// Some returns a value that is present.
func Some[T any](v T) Optional[T] { return Optional[T]{value: v, set: true} }

// Get returns the value and whether it is present.
func (o Optional[T]) Get() (T, bool) { return o.value, o.set }

// Or returns the value, or other if it is absent.
func (o Optional[T]) Or(other T) T {
	if o.set {
		return o.value
	}
	return other
}

// IsSet reports whether the value is present.
func (o Optional[T]) IsSet() bool { return o.set }
