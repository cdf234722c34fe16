// Package trial tries rules on existing records: it says what a rule would say of every record
// of its resource, if the record were saved as it is.
//
// A rule that judges updates is asked about an update that changes nothing: before and after
// are the record. One that judges creations and no updates is asked about the creation of the
// record, which has its id already, and one that only judges deletions about its deletion.
// The actor is who tries the rule, and the time that of the snapshot. Facts are those of the
// snapshot, which has the record itself.
//
// Chose one snapshot over the records as they come, so that the numbers are exact and the
// facts belong to the records. Costs that a long trial keeps the database from removing old
// versions of rows.
package trial
