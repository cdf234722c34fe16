package httpapi

// lesson is what the reference document teaches about a resource that no table
// knows: words, and one set of records for all examples, in which each record
// refers to the others.
type lesson struct {
	about string          // what the resource is
	words map[verb]string // what an operation does that those of its verb do not do elsewhere
	notes notes
	story story
}

// notes are about the attributes of a record, by their names. The name of an
// attribute of a record inside the record, such as type.name, tells what it is
// there, where that is another one than elsewhere.
type notes map[string]note

// note is about one attribute.
type note struct {
	about string
	cells []string // in the first record of the examples, and in those after it
}

// shows is a note. The cells are those of the records in the examples, one after
// the other; the attribute is null where that is empty, or where there is none.
func shows(about string, cells ...string) note { return note{about, cells} }

// story is how the record of the examples came about: the body that made it, one
// that changes it, and what the answers to these show that reading it does not.
type story struct {
	create, change   object
	created, changed map[string]string // by paths, such as type.name
}

// noted are the notes by what a record is called in the document. A summary is
// what other records show of a record.
var noted = map[string]notes{
	"User": userLesson.notes, "UserSummary": userLesson.notes,
	"Status": statusLesson.notes, "DealType": dealTypeLesson.notes, "InvoiceType": invoiceTypeLesson.notes,
	"Label":     {"id": shows(""), "name": shows("")},
	"Performer": performerLesson.notes,
	"Client":    clientLesson.notes, "ClientSummary": clientLesson.notes,
	"Contact": contactLesson.notes,
	"Deal":    dealLesson.notes, "DealSummary": dealLesson.notes, "DealHistoryEntry": dealHistoryLesson.notes,
	"Offer": offerLesson.notes, "Contract": contractLesson.notes,
	"Invoice": invoiceLesson.notes, "InvoiceItem": invoiceItemLesson.notes,
}

// cell is what the record of the examples at that place holds at a path; false:
// nothing, null is shown.
func (n notes) cell(path string, row int) (string, bool) {
	cells := n[path].cells
	if len(cells) == 0 {
		return "", false
	}
	cell := cells[min(row, len(cells)-1)]
	return cell, cell != ""
}

// rows is how many records the examples of a list have.
func (n notes) rows() int {
	most := 1
	for _, note := range n {
		most = max(most, len(note.cells))
	}
	return most
}
