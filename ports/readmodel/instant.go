package readmodel

// Instant is a point in time: YYYY-MM-DD or YYYY-MM-DD hh:mm:ss in the time zone of the company, or RFC 3339 in UTC.
// Empty means none.
type Instant string

// Date is a civil date, YYYY-MM-DD. Empty means none.
type Date string
