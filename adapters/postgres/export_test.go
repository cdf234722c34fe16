package postgres

import "github.com/kontor-crm/kontor/ports/company"

// ShareStatements makes all companies use the same prepared statements.
func (p *CompanyPool) ShareStatements() { p.mark = func(company.Code) string { return "" } }

// MaxServed is how many companies a connection serves.
const MaxServed = maxServed
