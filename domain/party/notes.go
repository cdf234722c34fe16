package party

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

// The limits of notes: how many there are, and the characters of one.
const (
	MaxNotes = 10
	MaxNote  = 4096
)

// Note is a note of an invoice. Its text is not empty.
type Note struct {
	Text        string `json:"text,omitempty"`
	SubjectCode string `json:"subject_code,omitempty"` // one of SubjectCodes
}

// isOfPayment reports whether the subject of the note is the payment: its terms, or information about it.
func (n Note) isOfPayment() bool {
	return n.SubjectCode == "AAB" || n.SubjectCode == "PMD" || n.SubjectCode == "PMT"
}

// Notes are up to MaxNotes notes, and then empty ones. They can be compared with ==, and are stored as a list with the empty ones.
type Notes [MaxNotes]Note

// NotesOf returns the first notes of a list.
func NotesOf(list []Note) (n Notes) {
	copy(n[:], list)
	return n
}

// List returns the notes that there are.
func (n Notes) List() []Note {
	return slices.DeleteFunc(n[:], func(note Note) bool { return note == Note{} })
}

// checked returns the notes in their normal form, and reports what is wrong, which stays as it was before.
func (n Notes) checked(c *fault.Collector, prefix string, before Notes) Notes {
	for i := range n {
		if n[i] == (Note{}) {
			continue
		}
		at := fmt.Sprintf("%snotes[%d].", prefix, i)
		n[i].Text = text.Required(c, at+"text", domain.Some(n[i].Text), before[i].Text, MaxNote)
		code(c, at+"subject_code", &n[i].SubjectCode, before[i].SubjectCode, IsSubject,
			"must be a code of UNTDID 4451, such as AAI for a general note")
	}
	return n
}

// IsSubject reports whether a text is one of SubjectCodes.
func IsSubject(code string) bool { return slices.Contains(SubjectCodes, code) }

// SubjectCodes are the codes of subjects of notes (UNTDID 4451) that electronic invoices know.
var SubjectCodes = strings.Fields("AAA AAB AAC AAD AAE AAF AAG AAI AAJ AAK AAL AAM AAN AAO AAP AAQ AAR AAS AAT AAU AAV AAW " +
	"AAX AAY AAZ ABA ABB ABC ABD ABE ABF ABG ABH ABI ABJ ABK ABL ABM ABN ABO ABP ABQ ABR ABS ABT ABU ABV ABW ABX ABZ ACA ACB ACC " +
	"ACD ACE ACF ACG ACH ACI ACJ ACK ACL ACM ACN ACO ACP ACQ ACR ACS ACT ACU ACV ACW ACX ACY ACZ ADA ADB ADC ADD ADE ADF ADG ADH " +
	"ADI ADJ ADK ADL ADM ADN ADO ADP ADQ ADR ADS ADT " + //nolint:misspell // codes
	"ADU ADV ADW ADX ADY ADZ AEA AEB AEC AED AEE AEF AEG AEH AEI AEJ AEK AEL AEM " +
	"AEN AEO AEP AEQ AER AES AET AEU AEV AEW AEX AEY AEZ AFA AFB AFC AFD AFE AFF AFG AFH AFI AFJ AFK AFL AFM AFN AFO AFP AFQ AFR " +
	"AFS AFT AFU AFV AFW AFX AFY AFZ AGA AGB AGC AGD AGE AGF AGG AGH AGI AGJ AGK AGL AGM AGN AGO AGP AGQ AGR AGS AGT AGU AGV AGW " +
	"AGX AGY AGZ AHA AHB AHC AHD AHE AHF AHG AHH AHI AHJ AHK AHL AHM AHN AHO AHP AHQ AHR AHS AHT AHU AHV AHW AHX AHY AHZ AIA AIB " +
	"AIC AID AIE AIF AIG AIH AII AIJ AIK AIL AIM AIN AIO AIP AIQ AIR AIS AIT AIU AIV AIW AIX AIY AIZ AJA AJB ALC ALD ALE ALF ALG " +
	"ALH ALI ALJ ALK ALL ALM ALN ALO ALP ALQ ARR ARS AUT AUU AUV AUW AUX AUY AUZ AVA AVB AVC AVD AVE AVF BAG BAH BAI BAJ BAK BAL " +
	"BAM BAN BAO BAP BAQ BAR BAS BLC BLD BLE BLF BLG BLH BLI BLJ BLK BLL BLM BLN BLO BLP BLQ BLR BLS BLT BLU BLV BLW BLX BLY BLZ " +
	"BMA BMB BMC BMD BME CCI CEX CHG CIP CLP CLR COI CUR CUS DAR DCL DEL DIN DOC DUT EUR FBC GBL GEN GS7 HAN HAZ ICN IIN IMI IND " +
	"INS INV IRP ITR ITS LAN LIN LOI MCO MDH MKS ORI OSI PAC PAI PAY PKG PKT PMD PMT PRD PRF PRI PUR QIN QQD QUT RAH REG RET REV " +
	"RQR SAF SIC SIN SLR SPA SPG SPH SPP SPT SRN SSR SUR TCA TDT TRA TRR TXD WHI ZZZ")
