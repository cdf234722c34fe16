package architecture

import (
	"os"
	"testing"
	"testing/fstest"
)

func TestPublicNamesAreTheListedOnes(t *testing.T) {
	report(t, CheckPublicNames(readModule(t), publicPackages))
}

func TestPublicNamesShowPublicTypesOnly(t *testing.T) {
	report(t, CheckPublicTypes(readModule(t), publicPackages))
}

func TestExtensionUsesPublicNamesOnly(t *testing.T) {
	extension, err := ReadTree("example.com/extension", os.DirFS("../extension"))
	if err != nil {
		t.Fatal(err)
	}
	if len(extension.Files) == 0 {
		t.Fatal("no file in test/extension found")
	}
	report(t, CheckUse(module, extension, publicPackages))
}

// shop is a module whose package rule is public but for Engine.
func shop(t *testing.T) Tree {
	t.Helper()
	return tree(t,
		"rule/rule.go", `package rule
			import ("example.org/m/store"; "example.org/m/money"; "context")
			type Change[S any] struct { Before *S; hidden store.Row; Engine }
			type Facts interface { Sum(ctx context.Context, hidden store.Row) (money.Amount, error) }
			type Engine struct{}
			func (e *Engine) Run(r store.Row) {}
			func (c Change[S]) Sum() money.Amount { var r store.Row; return r.Sum }
			func (h hidden) Sum() store.Row { return store.Row{} }
			var Deals = Change[money.Amount]{}
			var others = store.Row{}`,
		"rule/rule_test.go", `package rule; func TestX() {}; var Y int`,
		"money/money.go", `package money; type Amount struct{}; const Zero = 0`,
		"store/store.go", `package store; type Row struct{}`,
	)
}

func TestCheckPublicNamesComparesBothWays(t *testing.T) {
	same(t, CheckPublicNames(shop(t), []Public{
		{Folder: "rule", Names: []string{"Change", "Facts", "Deals", "Rule"}, Own: []string{"Engine", "Change.Sum"}},
		{Folder: "money"},
		{Folder: "store", Names: []string{"Table"}},
		{Folder: "gone"},
	}), []string{
		"rule/rule.go:6: exports Engine.Run, which is in no list of public names",
		"rule: does not export Rule, which is in a list of public names",
		"store: does not export Table, which is in a list of public names",
		"gone: exports nothing",
	})
}

func TestCheckPublicTypesFindsTypesThatAreNotPublic(t *testing.T) {
	names := []string{"Change", "Change.Sum", "Facts", "Deals"}
	public := []Public{{Folder: "rule", Names: names, Own: []string{}}, {Folder: "money", Names: []string{"Zero"}}}
	same(t, CheckPublicTypes(shop(t), public), []string{
		"rule/rule.go:3: Change shows rule.Engine, which is not public",
		"rule/rule.go:4: Facts shows store.Row, which is not public",
		"rule/rule.go:4: Facts shows money.Amount, which is not public",
		"rule/rule.go:7: Change.Sum shows money.Amount, which is not public",
		"rule/rule.go:9: Deals shows money.Amount, which is not public",
	})
	public = []Public{{Folder: "rule", Names: []string{"Change.Sum", "Deals", "Change"}}, {Folder: "money"}}
	same(t, CheckPublicTypes(shop(t), public), []string{"rule/rule.go:3: Change shows rule.Engine, which is not public"})
}

func TestCheckUseFindsNamesThatAreNotPublic(t *testing.T) {
	other, err := ReadTree("example.com/team", fstest.MapFS{"main.go": &fstest.MapFile{Data: []byte(`package main
		import (
			"fmt"
			"example.org/m/rule"
			cash "example.org/m/money"
			"example.org/m/store"
		)
		type mine struct { price cash.Amount; row store.Row }
		func main() { fmt.Println(rule.Deals, rule.Engine{}, cash.Zero) }`)}})
	if err != nil {
		t.Fatal(err)
	}
	public := []Public{{Folder: "rule", Names: []string{"Deals"}}, {Folder: "money"}}
	same(t, CheckUse("example.org/m", other, public), []string{
		"main.go: uses store.Row, which is not public",
		"main.go: uses rule.Engine, which is not public",
	})
}
