package paper

// termWords are the printed words for what the terms and the parties have.
type termWords struct {
	customer, supplier string // labels of what the parties know each other by
	accountNumber      string
	means, card        string
	mandate, creditor  string            // of a direct debit
	debited            string            // label of the account that is debited
	prepaid            string            // label of what was paid before the invoice was issued
	early              string            // discount for early payment, with its percentage, its last day and what is then due
	meansNames         map[string]string // of codes of means of payment, for those without a text
}

var termLanguages = map[string]termWords{
	"en": {
		customer: "Customer no.", supplier: "Supplier no.", accountNumber: "Account number",
		means: "Means of payment", card: "Card", mandate: "Mandate", creditor: "Creditor identifier", debited: "Debited account",
		prepaid: "Already paid", early: "%s discount if paid by %s: %s",
		meansNames: means("Cash", "Transfer", "Card", "Direct debit"),
	},
	"de": {
		customer: "Kundennummer", supplier: "Lieferantennummer", accountNumber: "Kontonummer",
		means: "Zahlungsart", card: "Karte", mandate: "Mandatsreferenz", creditor: "Gläubiger-ID", debited: "Belastetes Konto",
		prepaid: "Bereits bezahlt", early: "%s Skonto bei Zahlung bis %s: %s",
		meansNames: means("Bar", "Überweisung", "Kartenzahlung", "Lastschrift"),
	},
	"fr": {
		customer: "N° client", supplier: "N° fournisseur", accountNumber: "N° de compte",
		means: "Mode de paiement", card: "Carte", mandate: "Référence du mandat", creditor: "Identifiant créancier", debited: "Compte débité",
		prepaid: "Déjà payé", early: "Escompte de %s pour paiement au plus tard le %s\u00a0: %s",
		meansNames: means("Espèces", "Virement", "Carte bancaire", "Prélèvement"),
	},
	"pl": {
		customer: "Nr klienta", supplier: "Nr dostawcy", accountNumber: "Nr rachunku",
		means: "Sposób płatności", card: "Karta", mandate: "Nr mandatu", creditor: "Identyfikator wierzyciela", debited: "Rachunek obciążany",
		prepaid: "Zapłacono", early: "Skonto %s przy płatności do %s: %s",
		meansNames: means("Gotówka", "Przelew", "Karta płatnicza", "Polecenie zapłaty"),
	},
	"ru": {
		customer: "№ покупателя", supplier: "№ поставщика", accountNumber: "Номер счёта",
		means: "Способ оплаты", card: "Карта", mandate: "Номер мандата", creditor: "ID кредитора", debited: "Счёт списания",
		prepaid: "Уже оплачено", early: "Скидка %s при оплате не позднее %s: %s",
		meansNames: means("Наличные", "Банковский перевод", "Банковская карта", "Прямое дебетование"),
	},
}

// means returns the names of codes of means of payment (UNTDID 4461).
func means(cash, transfer, card, debit string) map[string]string {
	return map[string]string{
		"10": cash, "30": transfer, "31": transfer, "42": transfer, "58": transfer, "48": card, "54": card, "55": card, "49": debit, "59": debit,
	}
}
