package architecture

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// RemovedWord is a word or phrase that the project no longer uses, in whatever
// text: comments, messages, identifiers, documentation, file names.
type RemovedWord struct {
	// Pattern is a regular expression for whole words, case ignored. Words are
	// matched inside of identifiers too: "piece" matches nextPiece and next_piece.
	Pattern string
	// Use is the replacement.
	Use string
	// Except are files, or folders ending in a slash, that may contain the word,
	// each with the reason.
	Except map[string]string
}

// textFile are the names of the files that are searched for words.
var textFile = regexp.MustCompile(`(\.(go|md|sql|ya?ml|service|conf|env|sh|html|txt)|(^|/)(Makefile|Dockerfile)|^\.ci/[a-z-]+)$`)

// skippedFolders contain no text of the project.
var skippedFolders = []string{".git", ".bin", "node_modules", "testdata"}

// CheckWords complains of each removed word below root, with its replacement, and
// of exceptions that have no reason or no use. The file with the list is not
// searched.
func CheckWords(root fs.FS, words []RemovedWord, list string) ([]string, error) {
	var complaints []string
	searcher := newSearcher(words)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains(skippedFolders, entry.Name()) || strings.HasPrefix(entry.Name(), ".kontor")):
			return fs.SkipDir
		case entry.IsDir() || !textFile.MatchString(name) || name == list:
			return nil
		}
		content, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		complaints = append(complaints, searcher.search(name, string(content))...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("search for removed words: %w", err)
	}
	return append(complaints, searcher.uselessExceptions()...), nil
}

// searcher searches text for words.
type searcher struct {
	words    []RemovedWord
	any      *regexp.Regexp // one of the words, to skip most files and lines at once
	patterns []*regexp.Regexp
	used     map[string]bool // exceptions
}

func newSearcher(words []RemovedWord) *searcher {
	s := &searcher{words: words, used: map[string]bool{}}
	var all []string
	for _, word := range words {
		all = append(all, word.Pattern)
		s.patterns = append(s.patterns, whole(word.Pattern))
	}
	s.any = whole(strings.Join(all, "|"))
	return s
}

func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`) }

// search searches the path and the lines of a file. A phrase may continue on the
// next line.
func (s *searcher) search(name, content string) []string {
	var complaints []string
	lines := append([]string{name}, strings.Split(content, "\n")...)
	for i := range lines {
		lines[i] = splitIdentifiers(lines[i])
	}
	if !s.any.MatchString(strings.Join(lines, " ")) {
		return nil
	}
	for i, line := range lines {
		text := line
		if i > 0 && i+1 < len(lines) {
			text += " " + lines[i+1]
		}
		if !s.any.MatchString(text) {
			continue
		}
		for n, pattern := range s.patterns {
			found := pattern.FindStringIndex(text)
			if len(found) == 0 || found[0] >= len(line) {
				continue
			}
			if key := s.words[n].exception(name); key != "" {
				s.used[s.words[n].Pattern+" "+key] = true
				continue
			}
			complaints = append(complaints, fmt.Sprintf("%s:%d: %q: use %s", name, max(i, 1), text[found[0]:found[1]], s.words[n].Use))
		}
	}
	return complaints
}

// exception returns the key in Except that covers the file, or an empty string.
func (w RemovedWord) exception(name string) string {
	for key := range w.Except {
		if name == key || strings.HasSuffix(key, "/") && strings.HasPrefix(name, key) {
			return key
		}
	}
	return ""
}

func (s *searcher) uselessExceptions() []string {
	var complaints []string
	for _, word := range s.words {
		for _, key := range slices.Sorted(maps.Keys(word.Except)) {
			if !s.used[word.Pattern+" "+key] {
				complaints = append(complaints, fmt.Sprintf("%s: is an exception for %q but does not contain it", key, word.Pattern))
			}
			if word.Except[key] == "" {
				complaints = append(complaints, fmt.Sprintf("%s: is an exception for %q without a reason", key, word.Pattern))
			}
		}
	}
	return complaints
}

// splitIdentifiers puts blanks between the words of identifiers and paths, and
// removes comment markers and indentation.
func splitIdentifiers(line string) string {
	line = strings.TrimLeft(line, " \t#/*>-")
	var words strings.Builder
	for i := range len(line) {
		c := line[i]
		switch {
		case c == '_' || c == '/' || c == '\t':
			c = ' '
		case isUpper(c) && i > 0 && (isLower(line[i-1]) || isUpper(line[i-1]) && i+1 < len(line) && isLower(line[i+1])):
			words.WriteByte(' ')
		}
		words.WriteByte(c)
	}
	return strings.TrimSpace(words.String())
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// CheckTestNames complains of tests, fuzz targets and benchmarks whose name begins
// with one of the words instead of the tested subject. Exempt folders are left out.
func CheckTestNames(tree Tree, words, exempt []string) []string {
	begin := regexp.MustCompile(`^(Test|Fuzz|Benchmark)(` + strings.Join(words, "|") + `)([A-Z0-9_].*)?$`)
	var complaints []string
	for _, file := range tree.Files {
		if !file.IsTest() || slices.ContainsFunc(exempt, func(folder string) bool { return within(file.Folder(), folder) }) {
			continue
		}
		for _, function := range file.functions() {
			if begin.MatchString(function.Name.Name) {
				complaints = append(complaints, fmt.Sprintf("%s: %s does not begin with the tested subject", file.at(function), function.Name.Name))
			}
		}
	}
	slices.SortFunc(complaints, func(a, b string) int { return cmp.Or(cmp.Compare(path.Dir(a), path.Dir(b)), cmp.Compare(a, b)) })
	return complaints
}
