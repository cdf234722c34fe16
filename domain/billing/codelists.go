package billing

import (
	"strings"

	"github.com/kontor-crm/kontor/domain/money"
)

// The code lists of electronic invoices, between spaces, as far as they are smaller than what a party may have.
const (
	// endpointSchemes is the list EAS.
	endpointSchemes = " 0002 0007 0009 0037 0060 0088 0096 0097 0106 0130 0135 0142 0147 0151 0154 0158 0170 0177 0183 0184 0188 0190 " +
		"0191 0192 0193 0194 0195 0196 0198 0199 0200 0201 0202 0203 0204 0205 0208 0209 0210 0211 0212 0213 0215 0216 0217 0218 0219 0220 " +
		"0221 0225 0230 0235 0240 0242 0244 0245 0246 0248 9910 9913 9914 9915 9918 9919 9920 9922 9923 9924 9925 9926 9927 9928 9929 9930 " +
		"9931 9932 9933 9934 9935 9936 9937 9938 9939 9940 9941 9942 9943 9944 9945 9946 9947 9948 9949 9950 9951 9952 9953 9957 9959 AN AQ " +
		"AS AU EM "
	// notInPeppol are the schemes of the list EAS that Peppol does not know.
	notInPeppol = " 0219 0220 0242 0244 0245 0246 0248 AN AQ AS AU EM "
	// strangeCountries are regions with a code in other lists only, also as the first letters of a VAT id.
	strangeCountries = " AC AN CP CQ CS DG EA EZ FQ IC NT PC SS SU TA UN XK YU "
	// missingRegisters are the unused numbers in the list ISO 6523 from 0002 to 0248.
	missingRegisters = " 0092 0103 0181 0182 "
	// newCurrencies are those of ISO 4217 that the norm or Peppol does not know yet.
	newCurrencies = " STN XCG "
)

func isCurrency(code string) bool {
	return money.IsCurrency(code) && !strings.Contains(newCurrencies, " "+code+" ")
}

// isRegister reports whether a code is in the list ISO 6523.
func isRegister(code string) bool {
	return code >= "0002" && code <= "0248" && !strings.Contains(missingRegisters, " "+code+" ")
}
