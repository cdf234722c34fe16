package party

import (
	"regexp"
	"strings"
)

var (
	ibanForm = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$`)
	bicForm  = regexp.MustCompile(`^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$`)
)

func checkIBAN(s string) string {
	if !ibanForm.MatchString(s) || !IsCountry(s[:2]) {
		return "must be an IBAN, such as DE02 1203 0000 0000 2020 51"
	}
	if remainder(s[4:]+s[:4], 97) != 1 {
		return "has a wrong check sum: a digit or letter differs from that of the account"
	}
	return ""
}

func checkBIC(s string) string {
	if !bicForm.MatchString(s) || !IsCountry(s[4:6]) {
		return "must be a BIC of 8 or 11 characters, such as BYLADEM1001"
	}
	return ""
}

// remainder returns the number modulo m, where A stands for 10 and Z for 35.
func remainder(number string, m int) (rest int) {
	for _, c := range number {
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % m
			continue
		}
		rest = (rest*10 + int(c-'0')) % m
	}
	return rest
}

// vatForm is what follows the country in a VAT id.
type vatForm struct {
	form    *regexp.Regexp
	example string
	check   func(id string) bool // of what follows the country; nil: there is no check sum, or it is not checked
}

func vat(form, example string, check func(id string) bool) vatForm {
	return vatForm{regexp.MustCompile("^(?:" + form + ")$"), example, check}
}

// vatForms are those of the countries of the EU and of Northern Ireland, by the prefix of their VAT ids.
var vatForms = map[string]vatForm{
	"AT": vat(`U\d{8}`, "ATU13585627", func(id string) bool { return (luhn(id[1:8])+sum(id[8:], 1)+4)%10 == 0 }),
	"BE": vat(`[01]\d{9}`, "BE0428759497", func(id string) bool { return 97-remainder(id[:8], 97) == remainder(id[8:], 100) }),
	"BG": vat(`\d{9,10}`, "BG123456789", nil),
	"CY": vat(`\d{8}[A-Z]`, "CY12345678A", nil),
	"CZ": vat(`\d{8,10}`, "CZ12345678", nil),
	"DE": vat(`[1-9]\d{8}`, "DE136695976", isMod11And10),
	"DK": vat(`[1-9]\d{7}`, "DK13585628", weighted(11, 2, 7, 6, 5, 4, 3, 2, 1)),
	"EE": vat(`\d{9}`, "EE100931558", weighted(10, 3, 7, 1, 3, 7, 1, 3, 7, 1)),
	"EL": vat(`\d{9}`, "EL094259216", func(id string) bool {
		return sum(id[:8], 256, 128, 64, 32, 16, 8, 4, 2)%11%10 == remainder(id[8:], 10)
	}),
	"ES": vat(`[A-Z]\d{7}[A-Z\d]|\d{8}[A-Z]`, "ESB58378431", isSpanish),
	"FI": vat(`\d{8}`, "FI20774740", weighted(11, 7, 9, 10, 5, 8, 4, 2, 1)),
	"FR": vat(`[A-Z\d]{2}\d{9}`, "FR40303265045", isFrench),
	"HR": vat(`\d{11}`, "HR33392005961", isMod11And10),
	"HU": vat(`\d{8}`, "HU12892312", weighted(10, 9, 7, 3, 1, 9, 7, 3, 1)),
	"IE": vat(`\d[A-Z\d+*]\d{5}[A-Z]{1,2}`, "IE6433435F", nil),
	"IT": vat(`\d{11}`, "IT00743110157", func(id string) bool { return luhn(id)%10 == 0 }),
	"LT": vat(`\d{9}|\d{12}`, "LT119511515", nil),
	"LU": vat(`\d{8}`, "LU15027442", func(id string) bool { return remainder(id[:6], 89) == remainder(id[6:], 100) }),
	"LV": vat(`\d{11}`, "LV40003521600", nil),
	"MT": vat(`\d{8}`, "MT11679112", weighted(37, 3, 4, 6, 7, 8, 9, 10, 1)),
	"NL": vat(`\d{9}B\d{2}`, "NL004495445B01", func(id string) bool {
		return sum(id[:9], 9, 8, 7, 6, 5, 4, 3, 2, -1)%11 == 0 || remainder("NL"+id, 97) == 1
	}),
	"PL": vat(`\d{10}`, "PL8567346215", weighted(11, 6, 5, 7, 2, 3, 4, 5, 6, 7, -1)),
	"PT": vat(`[1-9]\d{8}`, "PT501964843", func(id string) bool {
		return (11-sum(id[:8], 9, 8, 7, 6, 5, 4, 3, 2)%11)%11%10 == remainder(id[8:], 10)
	}),
	"RO": vat(`[1-9]\d{1,9}`, "RO18547290", nil),
	"SE": vat(`\d{10}01`, "SE556188840401", func(id string) bool { return luhn(id[:10])%10 == 0 }),
	"SI": vat(`[1-9]\d{7}`, "SI50223054", nil),
	"SK": vat(`[1-9]\d{9}`, "SK2022749619", func(id string) bool { return remainder(id, 11) == 0 }),
	"XI": vat(`\d{9}|\d{12}|GD\d{3}|HA\d{3}`, "XI123456789", nil),
}

// otherVAT is the form of a VAT id of any other country.
var otherVAT = regexp.MustCompile(`^[A-Z]{2}[A-Z0-9]{2,18}$`)

func checkVATID(s string) string {
	prefix := s[:min(2, len(s))]
	known, ok := vatForms[prefix]
	switch {
	case !ok && (!otherVAT.MatchString(s) || !IsCountry(prefix)):
		return "must begin with the two letters of a country, such as DE136695976"
	case !ok:
		return ""
	case !known.form.MatchString(s[2:]):
		return "must be like " + known.example
	case known.check != nil && !known.check(s[2:]):
		return "has a wrong check digit: a digit or letter differs from that of the id"
	}
	return ""
}

// sum returns the weighted sum of the digits.
func sum(digits string, weights ...int) (total int) {
	for i, w := range weights {
		total += int(digits[i]-'0') * w
	}
	return total
}

// weighted returns a check that the weighted sum of the digits is a multiple of m.
func weighted(m int, weights ...int) func(digits string) bool {
	return func(digits string) bool { return sum(digits, weights...)%m == 0 }
}

// luhn returns the sum of the digits, every second one from the right but one doubled.
func luhn(digits string) (total int) {
	for i := range digits {
		d := int(digits[len(digits)-1-i]-'0') * (1 + i%2)
		total += d/10 + d%10
	}
	return total
}

// isMod11And10 checks the last digit by ISO 7064, MOD 11,10.
func isMod11And10(digits string) bool {
	product := 10
	for _, d := range digits[:len(digits)-1] {
		rest := (int(d-'0') + product) % 10
		if rest == 0 {
			rest = 10
		}
		product = 2 * rest % 11
	}
	return (11-product)%10 == int(digits[len(digits)-1]-'0')
}

// isFrench checks the key of two digits; keys with letters have another one, which is not checked.
func isFrench(id string) bool {
	if strings.Trim(id[:2], "0123456789") != "" {
		return true
	}
	return (12+3*remainder(id[2:], 97))%97 == remainder(id[:2], 100)
}

// isSpanish checks the last character of the ids of persons and of legal entities.
func isSpanish(id string) bool {
	const personal, legal = "TRWAGMYFPDXBNJZSQVHLCKE", "JABCDEFGHI"
	last := id[8]
	if strings.ContainsRune("XYZ0123456789", rune(id[0])) {
		digits := strings.NewReplacer("X", "0", "Y", "1", "Z", "2").Replace(id[:8])
		return personal[remainder(digits, 23)] == last
	}
	control := (10 - luhn(id[1:8]+"0")%10) % 10
	return last == legal[control] || last == byte('0'+control)
}
