package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewAccounts returns the reader of users for operators.
func NewAccounts(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, accounts)
}

var accounts = &mapping{
	resource: readmodel.Accounts,
	table:    "users",
	columns:  own("id", "version", "username", "name", "email", "role", "disabled", "created_at"),
	keys:     sortKeys("username", "name", "email"),
}

// NewTokens returns the reader of access tokens.
func NewTokens(db Querier) readmodel.Reader[readmodel.TokenFilter] {
	return newReader(db, tokens, filter[readmodel.TokenFilter]{
		condition{where: "r.user_id in (select id from users where username_key = ?)"},
		func(f readmodel.TokenFilter) []any { return key(f.Username) },
	})
}

var tokens = &mapping{
	resource: readmodel.Tokens,
	table:    "tokens",
	columns: map[string]string{
		"id":           "r.id",
		"version":      "r.id", // a token has no version of its own
		"public_id":    "r.public_id",
		"username":     "(select u.username from users u where u.id = r.user_id)",
		"created_at":   "r.created_at",
		"expires_at":   "r.expires_at",
		"revoked_at":   "r.revoked_at",
		"last_used_at": "r.last_used_at",
		"label":        "r.label",
		"scopes":       "r.scopes",
	},
	keys: map[string]string{
		"username": "(select u.username_key from users u where u.id = r.user_id)",
	},
}

// NewMe returns the reader of tokens for the programs that send them.
func NewMe(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, me)
}

var me = &mapping{
	resource: readmodel.Me,
	table:    "tokens",
	columns: merge(
		map[string]string{
			"version":    "r.id", // a token has no version of its own
			"role":       "u.role",
			"scopes":     "r.scopes",
			"label":      "r.label",
			"expires_at": "r.expires_at",
		},
		embeddedUser("user"),
	),
	joins: map[string]string{
		"user.": "left join users u on u.id = r.user_id",
		"role":  "left join users u on u.id = r.user_id",
	},
}
