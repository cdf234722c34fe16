//go:build rules

package einvoice

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
)

// listed returns the codes that all the patterns find in the files with rules.
func listed(t *testing.T, patterns map[string]string) map[string]bool {
	t.Helper()
	count := map[string]int{}
	for file, pattern := range patterns {
		rules, err := os.ReadFile(filepath.Join(os.Getenv("KONTOR_EINVOICE_RULES"), file))
		if err != nil {
			t.Fatal(err)
		}
		codes := regexp.MustCompile(pattern).FindSubmatch(rules)
		if codes == nil {
			t.Fatalf("%s has no %s", file, pattern)
		}
		for code := range strings.FieldsSeq(string(codes[1])) {
			count[code]++
		}
	}
	common := map[string]bool{}
	for code, n := range count {
		if n == len(patterns) {
			common[code] = true
		}
	}
	return common
}

// ofTheNorm returns the patterns of the list in a rule of the norm.
func ofTheNorm(rule string) map[string]string {
	pattern := `id="` + rule + `"[^>]*?contains\( ?'\s([^']{20,})\s'`
	return map[string]string{"en16931-ubl.sch": pattern, "en16931-cii.sch": pattern}
}

// codesOf yields all codes of that many of the characters.
func codesOf(characters string, length int) []string {
	codes := []string{""}
	for range length {
		var longer []string
		for _, code := range codes {
			for _, c := range characters {
				longer = append(longer, code+string(c))
			}
		}
		codes = longer
	}
	return codes
}

const (
	digits  = "0123456789"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// contract 16.12
func TestUnitsAreThoseOfTheOfficialList(t *testing.T) {
	known := listed(t, ofTheNorm("BR-CL-23"))
	for length := 1; length <= 3; length++ {
		for _, code := range codesOf(digits+letters, length) {
			if got := billing.UnitCode(code); (got == code) != known[code] {
				t.Errorf("%s is %q, in the list: %t", code, got, known[code])
			}
		}
	}
}

// contract 16.12
func TestCodesAreThoseOfTheOfficialLists(t *testing.T) {
	currencies := ofTheNorm("BR-CL-04")
	currencies["peppol-bis3-ubl.sch"] = `name="ISO4217" value="tokenize\('([^']*)'`
	schemes := append(codesOf(digits, 4), codesOf(letters, 2)...)
	for name, tt := range map[string]struct {
		rule  string
		lists map[string]string
		codes []string
		set   func(p *party.State, code string)
	}{
		"currencies": {"BR-CL-04", currencies, codesOf(letters, 3), func(p *party.State, code string) { p.Currency = code }},
		"countries":  {"BR-CL-14", ofTheNorm("BR-CL-14"), codesOf(letters, 2), func(p *party.State, code string) { p.Country = code }},
		"VAT ids": {"BR-CO-09", ofTheNorm("BR-CO-09"), codesOf(letters, 2), func(p *party.State, code string) {
			p.VATID = code + "123456789"
		}},
		"addresses": {"BR-CL-25", ofTheNorm("BR-CL-25"), schemes, func(p *party.State, code string) {
			p.EndpointID, p.EndpointScheme = "1", code
		}},
		"registers": {"BR-CL-11", ofTheNorm("BR-CL-11"), codesOf(digits, 4), func(p *party.State, code string) {
			p.RegistrationID, p.RegistrationScheme = "1", code
		}},
	} {
		t.Run(name, func(t *testing.T) {
			known, tried := listed(t, tt.lists), 0
			for _, code := range tt.codes {
				src := Sample(1, 0)
				var alone party.State
				tt.set(&alone, code)
				if _, err := party.New(alone); err != nil {
					continue
				}
				tt.set(&src.Seller, code)
				src.Seller.VATCategory = "standard"
				tried++
				if isRefused := breaks(billing.Check(billing.New(src), billing.CII), tt.rule); isRefused == known[code] {
					t.Errorf("%s is refused: %t, in the list: %t", code, isRefused, known[code])
				}
			}
			if tried < len(known)/2 {
				t.Errorf("only %d codes are tried, the list has %d", tried, len(known))
			}
			fmt.Fprintf(t.Output(), "%d codes tried, %d known\n", tried, len(known))
		})
	}
}

// contract 16.90
func TestExemptionsAreThoseOfTheOfficialList(t *testing.T) {
	same(t, performer.Exemptions, listed(t, ofTheNorm("BR-CL-22")))
}

// contract 10.172
func TestSubjectsAreThoseOfTheOfficialLists(t *testing.T) {
	same(t, party.SubjectCodes, listed(t, ofTheNorm("BR-CL-08")))
}

// contract 10.171
func TestMeansOfPaymentAreThoseOfTheOfficialList(t *testing.T) {
	same(t, party.PaymentMeans, listed(t, ofTheNorm("BR-CL-16")))
}

// same reports codes that only one of the lists has.
func same(t *testing.T, codes []string, known map[string]bool) {
	t.Helper()
	for _, code := range codes {
		if !known[code] {
			t.Errorf("%s is not in the list", code)
		}
		delete(known, code)
	}
	for code := range known {
		t.Errorf("%s is missing", code)
	}
}

func breaks(found []fault.Lack, rule string) bool {
	for _, x := range found {
		if x.Rule == rule {
			return true
		}
	}
	return false
}
