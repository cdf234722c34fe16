package money

import "strings"

// currencies are the codes of ISO 4217 in November 2026, without those that stand for none and for tests.
const currencies = " AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF " +
	"CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD " +
	"HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD " +
	"MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN " +
	"PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD " +
	"TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF " +
	"XPT XSU XUA YER ZAR ZMW ZWG "

// The currencies with other fraction digits than two, by their number.
var (
	withoutDigits   = " BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF "
	withThreeDigits = " BHD IQD JOD KWD LYD OMR TND "
	withFourDigits  = " CLF UYW "
)

// CurrencyDigits returns the number of fraction digits that amounts of a currency have by ISO 4217.
func CurrencyDigits(code string) int {
	switch code = " " + code + " "; {
	case strings.Contains(withoutDigits, code):
		return 0
	case strings.Contains(withThreeDigits, code):
		return 3
	case strings.Contains(withFourDigits, code):
		return 4
	}
	return 2
}

// IsCurrency reports whether a code, in capital letters, is one of ISO 4217 that is in use.
func IsCurrency(code string) bool {
	return len(code) == 3 && strings.Contains(currencies, " "+code+" ")
}
