// Package floor is what Kontor is measured against: the least that a server in Go has to do to give
// the same answers from the same database. It is net/http and pgx and nothing else: no framework, no
// use cases, no reflection, no log.
//
// It knows neither routes nor SQL. Package load watches what Kontor says to the database for a request,
// and what it answers, and writes both down as a script; the floor sends the same statements with the
// same values, in the same transactions and batches, and makes the answer of what comes back.
//
// # Decisions
//
// Chose scripts over SQL of its own, because a copy would grow stale, and a floor with other statements
// compares two databases instead of two servers. It costs that a request has to have been seen before,
// or be like one that was but for a word.
//
// Chose to work below pgx's Query, with values as they travel, because that is what a patient author
// would end at. It costs a harder goal for Kontor.
//
// Chose to take the total of a list and the places of its links from the script, because working them
// out of the rows takes less than a microsecond. It costs that the floor's totals are right for data
// that stand still only.
package floor
