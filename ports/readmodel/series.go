package readmodel

// SeriesInputs has the values that the number series of a performer are described by.
var SeriesInputs = &Resource{
	Name: "performer",
	Attributes: []Attribute{
		{Name: "id", Kind: ID},
		{Name: "party", Kind: Object, Of: optionalTexts("number_pattern", "credit_pattern")},
		{Name: "series", Kind: List, Of: []Attribute{
			{Name: "kind", Kind: Integer},
			{Name: "year", Kind: Integer},
			{Name: "last_seq", Kind: Integer},
			{Name: "count", Kind: Integer},
		}},
	},
}

// Series has the attributes of the number series of a performer.
var Series = &Resource{
	Name: "series of a performer",
	Attributes: []Attribute{
		{Name: "id", Kind: ID},
		{Name: "items", Kind: List, As: "NumberSeries", Of: []Attribute{
			{Name: "kind", Kind: Text},
			{Name: "year", Kind: Integer, Optional: true},
			{Name: "first", Kind: Text},
			{Name: "last", Kind: Text},
			{Name: "count", Kind: Integer},
			{Name: "next", Kind: Text},
			{Name: "gaps", Kind: Integer},
		}},
	},
}
