// Package pgtenant stores companies: the catalogue, and the schema of each.
//
// The catalogue is in the schema kontor_shared, which is created with the first company.
//
// Chose: this name over kontor. Because: PostgreSQL's default search path begins with the schema named
// like the role, and many roles are called kontor: the default company would then be looked up in the
// wrong schema. Costs: a longer name.
package pgtenant
