package architecture

import (
	"fmt"
	"regexp"
)

var migrationName = regexp.MustCompile(`^(\d{5})_[a-z0-9_]+\.sql$`)

// CheckNumbers complains of sorted migration names that are not numbered 00001,
// 00002 and so on.
func CheckNumbers(names []string) []string {
	if len(names) == 0 {
		return []string{"no migrations found"}
	}
	var complaints []string
	for i, name := range names {
		parts := migrationName.FindStringSubmatch(name)
		want := fmt.Sprintf("%05d", i+1)
		switch {
		case parts == nil:
			complaints = append(complaints, name+": not named like 00001_description.sql")
		case parts[1] != want:
			complaints = append(complaints, fmt.Sprintf("%s: expected number %s", name, want))
		}
	}
	return complaints
}
