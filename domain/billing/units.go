package billing

import "strings"

// one is the code of a unit that is not named.
const one = "C62"

// unitLists are the words for common units, in lower case and without a point at their end. A word
// has the same meaning in all languages.
var unitLists = map[string]string{
	"H87": "piece pieces pc pcs pce ea each unit units stück stücke stk st pièce pièces unité unités sztuka sztuki sztuk szt " +
		"штука штуки штук шт ед единица единиц",
	one:   "one",
	"SET": "set sets satz sätze jeu jeux ensemble zestaw zestawy zestawów kpl komplet komplety набор наборы компл комплект комплекты",
	"PR":  "pair pairs paar paare paire paires para pary par пара пары пар",
	"LS":  "lump-sum lumpsum pauschale pauschal psch forfait forfaitaire ryczałt",
	"HUR": "hour hours hr hrs h stunde stunden std heure heures godzina godziny godzin godz час часа часов ч",
	"MIN": "minute minutes min minuten minuta minuty minut минута минуты минут мин",
	"DAY": "day days d tag tage tg jour jours j dzień dni doba день дня дней дн сутки",
	"WEE": "week weeks wk woche wochen semaine semaines tydzień tygodnie tygodni неделя недели недель нед",
	"MON": "month months mo mth monat monate mon mois miesiąc miesiące miesięcy mies месяц месяца месяцев мес",
	"ANN": "year years yr yrs jahr jahre année années an ans rok lata lat год года лет",
	"KGM": "kg kilogram kilograms kilogramm kilogramme kilogrammes kilo kilos килограмм кг",
	"GRM": "g gram grams gramm gramme grammes gr грамм г гр",
	"TNE": "t tonne tonnes ton tons metric-ton tona tony тонна тонны тонн т",
	"MTR": "m metre metres meter meters mètre mètres metr metry metrów mb метр метра метров м",
	"CMT": "cm centimetre centimeter zentimeter centimètre centymetr сантиметр см",
	"MMT": "mm millimetre millimeter millimètre milimetr миллиметр мм",
	"KMT": "km kilometre kilometres kilometer kilometers kilomètre kilomètres kilometr километр км",
	"MTK": "m2 m² sqm qm quadratmeter mètre-carré м2 м²",
	"MTQ": "m3 m³ cbm kubikmeter mètre-cube м3 м³",
	"LTR": "l litre litres liter liters litr litry litrów литр литра литров л",
	"MLT": "ml millilitre milliliter mililitr миллилитр мл",
	"KWH": "kwh kilowattstunde kilowattstunden квтч квт·ч",
	"XBX": "box boxes schachtel schachteln boîte boîtes pudełko pudełka pudełek коробка коробки коробок кор",
	"XCT": "carton cartons ctn karton kartons kartony kartonów картон",
	"XPK": "package packages pack packs pkg packung packungen paket pakete paquet opakowanie opakowania opakowań opak " +
		"упаковка упаковки упаковок уп",
	"XBG": "bag bags beutel tüte tüten sac sacs torba torby worek worki мешок мешки пакет пакеты",
	"XBO": "bottle bottles flasche flaschen bouteille bouteilles butelka butelki butelek бутылка бутылки бутылок",
	"XPX": "pallet pallets palette paletten palettes paleta palety palet паллета паллеты поддон поддоны",
	"XRO": "roll rolls rolle rollen rouleau rouleaux rolka rolki rolek рулон рулоны рулонов",
	"DZN": "dozen dozens dz dutzend douzaine tuzin tuziny дюжина",
	"C26": "ms millisecond milliseconds millisekunde",
	"P1":  "% percent prozent pourcent procent процент",
	"E48": "service leistung usługa услуга услуги услуг usł усл",
}

var unitWords = func() map[string]string {
	words := map[string]string{}
	for code, list := range unitLists {
		for word := range strings.FieldsSeq(list) {
			words[word] = code
		}
	}
	return words
}()

var knownCodes = func() map[string]bool {
	known := make(map[string]bool, 2000)
	for code := range strings.FieldsSeq(unitCodes) {
		known[code] = true
	}
	for code := range strings.FieldsSeq(packageCodes) {
		known["X"+code] = true
	}
	return known
}()

// UnitCode returns the code of UN/ECE Recommendation 20, or of 21 with X before it, for a unit: the unit itself if it is a
// code in capital letters, or that of a common word for it in one of the languages of documents.
// Without a unit it is C62, one; for an unknown word it is empty.
func UnitCode(unit string) string {
	unit = strings.TrimSpace(unit)
	if unit == "" {
		return one
	}
	if knownCodes[unit] {
		return unit
	}
	word := strings.ReplaceAll(strings.TrimRight(strings.ToLower(unit), "."), " ", "-")
	return unitWords[word]
}
