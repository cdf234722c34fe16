package readmodel

// Accounts has the attributes of users for operators, at the command line.
var Accounts = &Resource{
	Name:        "user",
	DefaultSort: "username",
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "username", Kind: Text, Sort: Ascending},
		{Name: "name", Kind: Text, Sort: Ascending},
		{Name: "email", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "role", Kind: Text, Sort: Ascending},
		{Name: "disabled", Kind: Bool, Sort: Ascending},
		{Name: "created_at", Kind: Time, Sort: NewestFirst},
	},
}

// Tokens has the attributes of access tokens without their secrets.
var Tokens = &Resource{
	Name:        "token",
	DefaultSort: "created_at",
	PerPage:     20,
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "public_id", Kind: Text, Sort: Ascending},
		{Name: "username", Kind: Text, Sort: Ascending},
		{Name: "created_at", Kind: Time, Sort: NewestFirst},
		{Name: "expires_at", Kind: Time, Sort: Ascending, Optional: true},
		{Name: "revoked_at", Kind: Time, Sort: Ascending, Optional: true},
		{Name: "last_used_at", Kind: Time, Sort: Ascending, Optional: true},
		{Name: "label", Kind: Text, Optional: true},
		{Name: "scopes", Kind: Texts, Optional: true},
	},
}

// IssuedTokens are like Tokens, with the token as a whole, which is stored nowhere and shown once.
var IssuedTokens = &Resource{
	Name:       "token",
	Attributes: append([]Attribute{{Name: "token", Kind: Text, Optional: true}}, Tokens.Attributes...),
}

// Me has the attributes of the token of a request.
var Me = &Resource{
	Name:        "token",
	DefaultSort: "",
	Attributes: []Attribute{
		{Name: "user", Kind: Object, Refers: "user", Of: embeddedUser, As: "UserSummary"},
		{Name: "role", Kind: Text},
		{Name: "scopes", Kind: Texts, Optional: true},
		{Name: "label", Kind: Text, Optional: true},
		{Name: "expires_at", Kind: Time, Optional: true},
	},
}

// TokenFilter filters a list of tokens.
type TokenFilter struct {
	Username string // complete, ignoring case; "" for all
}
