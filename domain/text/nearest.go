package text

// maxEdits is the largest edit distance of a name that Nearest returns.
const maxEdits = 2

// Nearest returns the first of the names with the smallest edit distance from s, to suggest it for
// a misspelled one: at most two, and at most half of the length of s. It is empty if there is none.
func Nearest(s string, names []string) (nearest string) {
	best := min(maxEdits, len(s)/2) + 1
	for _, name := range names {
		if d := edits(s, name); d < best {
			nearest, best = name, d
		}
	}
	return nearest
}

// edits returns the edit distance (Levenshtein) of a and b in bytes, or more than maxEdits if their
// lengths differ by more.
func edits(a, b string) int {
	if max(len(a)-len(b), len(b)-len(a)) > maxEdits {
		return maxEdits + 1
	}
	row := make([]int, len(b)+1) // distances of a[:i] from the beginnings of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
