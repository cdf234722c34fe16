package paper

// termWords are the printed words for what the terms and the parties have.
type termWords struct {
	customer, supplier string // labels of what the parties know each other by
	accountNumber      string
	means, card        string
	mandate, creditor  string            // of a direct debit
	debited            string            // label of the account that is debited
	meansNames         map[string]string // of codes of means of payment, for those without a text
}

var termLanguages = map[string]termWords{
	"en": {
		customer: "Customer no.", supplier: "Supplier no.", accountNumber: "Account number",
		means: "Means of payment", card: "Card", mandate: "Mandate", creditor: "Creditor identifier", debited: "Debited account",
		meansNames: means("Cash", "Transfer", "Card", "Direct debit"),
	},
	"de": {
		customer: "Kundennummer", supplier: "Lieferantennummer", accountNumber: "Kontonummer",
		means: "Zahlungsart", card: "Karte", mandate: "Mandatsreferenz", creditor: "Gläubiger-ID", debited: "Belastetes Konto",
		meansNames: means("Bar", "Überweisung", "Kartenzahlung", "Lastschrift"),
	},
	"fr": {
		customer: "N° client", supplier: "N° fournisseur", accountNumber: "N° de compte",
		means: "Mode de paiement", card: "Carte", mandate: "Référence du mandat", creditor: "Identifiant créancier", debited: "Compte débité",
		meansNames: means("Espèces", "Virement", "Carte bancaire", "Prélèvement"),
	},
	"pl": {
		customer: "Nr klienta", supplier: "Nr dostawcy", accountNumber: "Nr rachunku",
		means: "Sposób płatności", card: "Karta", mandate: "Nr mandatu", creditor: "Identyfikator wierzyciela", debited: "Rachunek obciążany",
		meansNames: means("Gotówka", "Przelew", "Karta płatnicza", "Polecenie zapłaty"),
	},
	"ru": {
		customer: "№ покупателя", supplier: "№ поставщика", accountNumber: "Номер счёта",
		means: "Способ оплаты", card: "Карта", mandate: "Номер мандата", creditor: "ID кредитора", debited: "Счёт списания",
		meansNames: means("Наличные", "Банковский перевод", "Банковская карта", "Прямое дебетование"),
	},
}

// means returns the names of codes of means of payment (UNTDID 4461).
func means(cash, transfer, card, debit string) map[string]string {
	return map[string]string{
		"10": cash, "30": transfer, "31": transfer, "42": transfer, "58": transfer, "48": card, "54": card, "55": card, "49": debit, "59": debit,
	}
}
