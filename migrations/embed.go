// Package migrations holds Kontor's schema as SQL files, in the order in which
// they are applied, each with its way back.
//
// Every constraint and index has a name that says its rule; adapters/postgres
// translates these names into error messages. The schema is plain: no triggers, no
// functions, no cascades. The stores write the changes of other tables that
// follow from a change.
//
// A text that is sorted or searched has a key beside it, named after it with
// the suffix _key and collated "C": the text in Unicode form NFC, fully case
// folded, computed by the application. A text that is missing is null, and so
// is its key.
//
// The files in shared are the schema of the catalogue of companies, which is
// created with the first company. No table of it has the name of one of a company.
package migrations

import "embed"

// FS holds the SQL files.
//
//go:embed *.sql
var FS embed.FS

// Shared holds the SQL files of the catalogue of companies, in the folder shared.
//
//go:embed shared/*.sql
var Shared embed.FS
