package postgres

// MaxServed is how many companies a connection serves.
const MaxServed = maxServed

// Qualify puts the schema of the company in front of the tables of a statement.
var Qualify = qualify
