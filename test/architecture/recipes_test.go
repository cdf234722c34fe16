package architecture

import "testing"

func TestCheckRecipesComparesStepsWithMentions(t *testing.T) {
	source := tree(t,
		"domain/color/color.go", "package color\n\nimport _ \"example.org/m/shade\"\n\ntype Shade int // of a hue",
		"store/row.go", "package store\n\nconst sql = `select shade from colors`",
		"wiring/list.go", "package wiring\n\nvar all = []string{\"color\"}",
		"wiring/other.go", "package wiring\n\nvar one = color.Shade(1) // shade",
		"wiring/list_test.go", "package wiring\n\nvar shade = 1",
		"test/shade.go", "package test\n\nvar shade = 1",
	)
	page := func(steps string) string {
		return "# Page\n\n### Add a shade\n\nLike `old/file.go`.\n\n" + steps + "\n\nSee `store/other.go`.\n\n### Next\n\n1. `wiring/other.go`\n"
	}
	const row = "1. `store/row.go`: in the statement."
	shade, colors := []string{"shade"}, []string{"colors|color.Shade"}
	for name, test := range map[string]struct {
		model  []string
		except map[string]string
		steps  string
		want   []string
	}{
		"a word of a text":       {shade, nil, row, nil},
		"a step on two lines":    {colors, map[string]string{"domain/color/color.go": "x"}, "1. New:\n   `store/row.go`\n2. `wiring/other.go`", nil},
		"two words":              {[]string{"shade", "colors"}, nil, row, nil},
		"a text, not an import":  {[]string{`"color"`}, nil, "1. `wiring/list.go`", nil},
		"the name of a package":  {[]string{"color", "Shade"}, map[string]string{"wiring/other.go": "x"}, "1. `domain/color/color.go`", nil},
		"a file is missing":      {colors, map[string]string{"wiring/other.go": "x"}, row, []string{`recipe "Add a shade": domain/color/color.go mentions colors|color.Shade, but is in no step`}},
		"a file too many":        {shade, nil, row + "\n2. `wiring/list.go`", []string{`recipe "Add a shade": wiring/list.go is in a step, but does not mention shade`}},
		"no such file":           {shade, nil, row + "\n2. `store/old.go`", []string{`recipe "Add a shade": there is no file store/old.go`}},
		"an exception in a step": {shade, map[string]string{"store/row.go": "x"}, row, []string{`recipe "Add a shade": the exception store/row.go has no reason or no use`}},
		"a useless exception":    {shade, map[string]string{"wiring/list.go": "x"}, row, []string{`recipe "Add a shade": the exception wiring/list.go has no reason or no use`}},
		"no steps":               {shade, nil, "", []string{`recipe "Add a shade": no steps found`}},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, CheckRecipes(source, page(test.steps), []Recipe{{Title: "Add a shade", Model: test.model, Except: test.except}}), test.want)
		})
	}
}

func TestCheckRecipesFindsTheHeading(t *testing.T) {
	source := tree(t, "a/a.go", "package a\n\nvar shade = 1")
	same(t, CheckRecipes(source, "### Add a shade of grey\n\n1. `a/a.go`\n", []Recipe{{Title: "Add a shade", Model: []string{"shade"}}}),
		[]string{`recipe "Add a shade": no steps found`})
}
