package paper

import "github.com/kontor-crm/kontor/domain/billing"

// words are the printed words of a language, and how it writes numbers and dates.
type words struct {
	invoice, creditNote string
	draft, cancelled    string // what a document that does not count is marked with
	number, date, due   string
	delivered, period   string
	deliveredTo         string
	yourOrder, ourOrder string
	contract, project   string
	yourReference       string
	yourVATID           string
	credits             string // label of the invoice that a credit note is for
	name, count, price  string
	itemNumber          string
	amount              string
	sum, discount       string // sum of the lines before the discount
	net, vat, gross     string
	of                  string // between a rate of VAT and the net amount that it is of
	total               string // in place of gross where no VAT is charged
	rounding, amountDue string
	credited            string // amount due of a credit note
	carried, brought    string
	payment, bank       string
	account             string
	transfer            string // label of what to write on the transfer
	vatID, taxNumber    string
	registration        string
	page                string // with the number of the page and of the pages
	logo, stamp         string // alternative texts of the pictures
	signature           string
	reasons             map[billing.Category]string // why no VAT is charged

	termWords

	isPlainAtHome      bool // VAT ids have no prefix within Poland
	decimal, thousands string
	dateLayout         string
}

// wordsOf returns the words of a language of a billing document; English for others.
func wordsOf(language string) words {
	w, ok := languages[language]
	if !ok {
		language = billing.DefaultLanguage
		w = languages[language]
	}
	w.termWords = termLanguages[language]
	return w
}

var languages = map[string]words{
	"en": {
		invoice: "Invoice", creditNote: "Credit note",
		draft: "Draft", cancelled: "Cancelled",
		number: "Number", date: "Date", due: "Due date",
		yourReference: "Your reference", yourVATID: "Your VAT number", credits: "Credit note for invoice",
		itemNumber: "Item no.", name: "Description", count: "Quantity", price: "Unit price", amount: "Amount",
		delivered: "Delivery date", period: "Period", deliveredTo: "Delivered to", yourOrder: "Your order", ourOrder: "Our order",
		contract: "Contract", project: "Project",
		sum: "Sum of items", discount: "Discount", of: "on",
		net: "Net total", vat: "VAT", gross: "Total", total: "Total",
		rounding: "Rounding", amountDue: "Amount due", credited: "Amount credited",
		carried: "Carried forward", brought: "Brought forward", payment: "Payment", bank: "Bank details", account: "Account holder",
		transfer: "Payment reference", vatID: "VAT number", taxNumber: "Tax number", registration: "Registration", page: "Page %d of %d",
		logo: "Logo", stamp: "Stamp", signature: "Signature",
		reasons: map[billing.Category]string{
			billing.IntraCommunity: "Intra-Community supply, exempt from VAT", billing.Export: "Export, exempt from VAT",
			billing.Exempt: "Exempt from VAT", billing.ReverseCharge: "Reverse charge: the recipient owes the VAT",
			billing.Outside: "Not subject to VAT",
		},
		decimal: ".", thousands: ",", dateLayout: "2 Jan 2006",
	},
	"de": {
		invoice: "Rechnung", creditNote: "Rechnungskorrektur",
		draft: "Entwurf", cancelled: "Storniert",
		number: "Rechnungsnummer", date: "Rechnungsdatum", due: "Fällig am",
		yourReference: "Ihre Referenz", yourVATID: "Ihre USt-IdNr.", credits: "Korrektur zu Rechnung",
		itemNumber: "Art.-Nr.", name: "Bezeichnung", count: "Menge", price: "Einzelpreis", amount: "Betrag",
		delivered: "Lieferdatum", period: "Leistungszeitraum", deliveredTo: "Lieferadresse",
		yourOrder: "Ihre Bestellung", ourOrder: "Unser Auftrag", contract: "Vertrag", project: "Projekt",
		sum: "Summe der Positionen", discount: "Rabatt", of: "auf",
		net: "Nettobetrag", vat: "USt.", gross: "Gesamtbetrag", total: "Gesamtbetrag",
		rounding: "Rundung", amountDue: "Zahlbetrag", credited: "Erstattungsbetrag",
		carried: "Übertrag", brought: "Übertrag", payment: "Zahlung", bank: "Bankverbindung", account: "Kontoinhaber",
		transfer: "Verwendungszweck", vatID: "USt-IdNr.", taxNumber: "Steuernummer", registration: "Handelsregister", page: "Seite %d von %d",
		logo: "Logo", stamp: "Stempel", signature: "Unterschrift",
		reasons: map[billing.Category]string{
			billing.IntraCommunity: "Steuerfreie innergemeinschaftliche Lieferung", billing.Export: "Steuerfreie Ausfuhrlieferung",
			billing.Exempt: "Steuerfrei", billing.ReverseCharge: "Steuerschuldnerschaft des Leistungsempfängers", billing.Outside: "Nicht steuerbar",
		},
		decimal: ",", thousands: ".", dateLayout: "02.01.2006",
	},
	"fr": {
		invoice: "Facture", creditNote: "Avoir",
		draft: "Brouillon", cancelled: "Annulée",
		number: "Numéro", date: "Date", due: "Échéance",
		yourReference: "Votre référence", yourVATID: "Votre n° de TVA", credits: "Avoir sur la facture",
		itemNumber: "Réf.", name: "Désignation", count: "Quantité", price: "Prix unit. HT", amount: "Montant HT",
		delivered: "Date de livraison", period: "Période", deliveredTo: "Livré à", yourOrder: "Votre commande", ourOrder: "Notre commande",
		contract: "Contrat", project: "Projet",
		sum: "Total des lignes", discount: "Remise", of: "sur",
		net: "Total HT", vat: "TVA", gross: "Total TTC", total: "Total",
		rounding: "Arrondi", amountDue: "Net à payer", credited: "Montant crédité",
		carried: "À reporter", brought: "Report", payment: "Paiement", bank: "Coordonnées bancaires", account: "Titulaire du compte",
		transfer: "Référence à indiquer", vatID: "N° de TVA intracommunautaire", taxNumber: "N° fiscal", registration: "SIREN/RCS",
		page: "Page %d sur %d",
		logo: "Logo", stamp: "Cachet", signature: "Signature",
		reasons: map[billing.Category]string{
			billing.IntraCommunity: "Livraison intracommunautaire exonérée de TVA", billing.Export: "Exportation exonérée de TVA",
			billing.Exempt: "Exonéré de TVA", billing.ReverseCharge: "Autoliquidation", billing.Outside: "Hors champ d’application de la TVA",
		},
		decimal: ",", thousands: "\u00a0", dateLayout: "02/01/2006",
	},
	"pl": {
		invoice: "Faktura", creditNote: "Faktura korygująca",
		draft: "Projekt", cancelled: "Anulowana",
		number: "Numer", date: "Data wystawienia", due: "Termin płatności",
		yourReference: "Numer referencyjny", yourVATID: "NIP nabywcy", credits: "Korekta faktury",
		itemNumber: "Nr art.", name: "Nazwa", count: "Ilość", price: "Cena jedn. netto", amount: "Wartość netto",
		delivered: "Data dostawy", period: "Okres", deliveredTo: "Miejsce dostawy",
		yourOrder: "Zamówienie nabywcy", ourOrder: "Zamówienie sprzedawcy", contract: "Umowa", project: "Projekt",
		sum: "Suma pozycji", discount: "Rabat", of: "od",
		net: "Wartość netto", vat: "VAT", gross: "Wartość brutto", total: "Razem",
		rounding: "Zaokrąglenie", amountDue: "Do zapłaty", credited: "Do zwrotu",
		carried: "Do przeniesienia", brought: "Z przeniesienia", payment: "Płatność", bank: "Rachunek bankowy", account: "Posiadacz rachunku",
		transfer: "Tytuł przelewu", vatID: "NIP", taxNumber: "Numer podatkowy", registration: "Numer rejestrowy", page: "Strona %d z %d",
		logo: "Logo", stamp: "Pieczęć", signature: "Podpis",
		reasons: map[billing.Category]string{
			billing.IntraCommunity: "Wewnątrzwspólnotowa dostawa towarów", billing.Export: "Eksport towarów",
			billing.Exempt: "Zwolniony z VAT", billing.ReverseCharge: "Odwrotne obciążenie", billing.Outside: "Nie podlega VAT",
		},
		isPlainAtHome: true, decimal: ",", thousands: "\u00a0", dateLayout: "02.01.2006",
	},
	"ru": {
		invoice: "Счёт", creditNote: "Кредит-нота",
		draft: "Черновик", cancelled: "Отменён",
		number: "Номер", date: "Дата", due: "Срок оплаты",
		yourReference: "Ваш заказ №", yourVATID: "VAT ID покупателя", credits: "К счёту",
		itemNumber: "Арт.", name: "Наименование", count: "Количество", price: "Цена", amount: "Сумма",
		delivered: "Дата поставки", period: "Период", deliveredTo: "Адрес доставки", yourOrder: "Заказ покупателя", ourOrder: "Заказ продавца",
		contract: "Договор", project: "Проект",
		sum: "Сумма позиций", discount: "Скидка", of: "с",
		net: "Итого без НДС", vat: "НДС", gross: "Итого с НДС", total: "Итого",
		rounding: "Округление", amountDue: "К оплате", credited: "К возврату",
		carried: "Итого по странице", brought: "Перенос", payment: "Оплата", bank: "Банковские реквизиты", account: "Получатель",
		transfer: "Назначение платежа", vatID: "VAT ID", taxNumber: "ИНН/КПП", registration: "Рег. номер", page: "Страница %d из %d",
		logo: "Логотип", stamp: "Печать", signature: "Подпись",
		reasons: map[billing.Category]string{
			billing.IntraCommunity: "Поставка внутри ЕС, без НДС", billing.Export: "Экспорт, без НДС",
			billing.Exempt: "Без НДС", billing.ReverseCharge: "НДС уплачивает покупатель", billing.Outside: "Не облагается НДС",
		},
		decimal: ",", thousands: "\u00a0", dateLayout: "02.01.2006",
	},
}
