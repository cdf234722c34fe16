package series

// Kind is what a series numbers. The zero value is invalid; the numbers are those of the store.
type Kind int16

// The kinds.
const (
	Invoice Kind = 1
	Credit  Kind = 2
)

// String returns the name of the kind.
func (k Kind) String() string {
	if k == Credit {
		return "credit"
	}
	return "invoice"
}
