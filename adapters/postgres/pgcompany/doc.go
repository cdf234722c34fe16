// Package pgcompany stores companies: the catalogue, and the schema of each.
//
// The catalogue is in the schema kontor_shared, which the first company creates. Chose this
// name over kontor, because the search path of PostgreSQL begins with the schema that has
// the name of the role, and many roles are called kontor: their default company would from
// then on be looked for in the wrong schema. Costs a longer name.
package pgcompany
