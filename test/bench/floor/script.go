package floor

// File is all that the floor needs to know.
type File struct {
	Token      Token
	Pools      []map[string]string // parameters of the connections of each pool
	Statements []string            // SQL
	Programs   []Program
	Scripts    []Script
}

// Token is how a request is let in: its secret must be the one whose hash the statement finds, in the
// named column. The statement runs every two seconds.
type Token struct {
	Public    string // the token's public id
	Hash      []byte // of the secret
	Statement Exec
	Column    int
	Pool      int
}

// Script is how one request is answered.
type Script struct {
	Method string
	URI    string
	Body   string // of the request; if it is a template's, without the word

	// Word tells that the script serves all requests that differ in a word: at the end of the address,
	// or in the body.
	Word string

	Pool    int
	Rounds  []Round
	Shown   Shown
	Program int
	Page    *Page // of a list
}

// Shown says which rows are shown.
type Shown struct {
	Statement int // counted over all rounds
	Skipped   int // rows before
	Most      int // rows; 0: all
}

// Round is a round trip: one statement in plain text, or some with values.
type Round struct {
	Plain string
	Execs []Exec
}

// Exec is a statement and its values as they travel.
type Exec struct {
	Statement int
	Unnamed   bool // it is read and planned each time
	Args      []Arg
	Formats   []int16 // of the values
	Results   []int16 // formats of the columns
	Kept      bool    // a later statement has values from the first row
}

// Arg is one value: Text, with the word of the request between its parts; or the time; or a column of
// the first row of an earlier statement.
type Arg struct {
	Null  bool     `json:",omitempty"`
	Parts [][]byte `json:",omitempty"`
	Now   bool     `json:",omitempty"`
	From  *Cell    `json:",omitempty"`
}

// Cell is a column of the first row that a statement gives.
type Cell struct{ Statement, Column int }

// Page is what the headers of a list say.
type Page struct {
	Total, Pages, Number, Size string
	Links                      []Link
}

// Link is another page.
type Link struct{ Rel, URI string }

// Kinds of steps.
const (
	Literal  = "literal"  // Text as it is
	Raw      = "raw"      // the cell's own text; null if there is none
	Quoted   = "quoted"   // the cell as a JSON string
	Clock    = "clock"    // the same, to the second
	Quantity = "quantity" // the cell without trailing zeros
	Truth    = "truth"    // true or false
	Unless   = "unless"   // if the cell is null, null instead of the next Skip steps
	Only     = "only"     // unless the cell is Text, the next Skip steps are left out
	Inner    = "inner"    // the cell is a JSON array of rows, each shown by Of
)

// Step writes one part of a record.
type Step struct {
	Kind   string
	Text   string  `json:",omitempty"`
	Column int     `json:",omitempty"`
	Skip   int     `json:",omitempty"`
	Of     Program `json:",omitzero"`
}

// Program writes records.
type Program struct {
	List  bool
	Steps []Step
}
