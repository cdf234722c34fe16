// Package trial tries rules on existing records: it judges every record of the rule's resource
// as if the record were saved unchanged.
//
// A rule for updates judges an update that changes nothing: before and after are the record. A
// rule for creations but not updates judges the creation of the record, which already has its
// id, and one for deletions only judges its deletion. The actor has a role and no id; time and
// facts are those of the snapshot.
//
// Chose: one snapshot. Because: the counts are then exact and the facts consistent with the
// records. Costs: a long trial keeps the database from removing old versions of rows.
package trial
