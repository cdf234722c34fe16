package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewAccounts returns the reader of users for operators.
func NewAccounts(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, accounts)
}

var accounts = mapped(mapping{
	resource: readmodel.Accounts,
	table:    "users",
	keys:     map[string]string{"role": "r.role"},
})

// NewTokens returns the reader of access tokens.
func NewTokens(db Querier) readmodel.Reader[readmodel.TokenFilter] {
	return newReader(db, tokens, filter[readmodel.TokenFilter]{
		condition{where: "r.user_id in (select id from users where username_key = ?)"},
		func(f readmodel.TokenFilter) []any { return key(f.Username) },
	})
}

var tokens = mapped(mapping{
	resource: readmodel.Tokens,
	table:    "tokens",
	columns: map[string]string{
		"version":  "r.id", // a token has no version of its own
		"username": "(select u.username from users u where u.id = r.user_id)",
	},
	keys: map[string]string{
		"public_id": "r.public_id",
		"username":  "(select u.username_key from users u where u.id = r.user_id)",
	},
})

var _ = mapped(mapping{
	resource: readmodel.IssuedTokens,
	table:    "tokens",
	columns:  map[string]string{"version": "r.id", "username": tokens.columns["username"], "token": "null"},
})

// NewMe returns the reader of tokens for the programs that send them.
func NewMe(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, me)
}

var me = mapped(mapping{
	resource: readmodel.Me,
	table:    "tokens",
	columns: map[string]string{
		"version": "r.id", // a token has no version of its own
		"role":    "u.role",
	},
	joins: map[string]join{
		"user.": {"u", "left join users u on u.id = r.user_id"},
		"role":  {"", "left join users u on u.id = r.user_id"},
	},
})
