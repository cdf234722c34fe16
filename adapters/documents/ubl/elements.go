package ubl

import (
	"encoding/xml"

	"github.com/kontor-crm/kontor/domain/billing"
	domain "github.com/kontor-crm/kontor/domain/money"
)

// document is the root element. An element without content is left out everywhere, because the norm
// forbids empty ones.
type document struct {
	XMLName            xml.Name
	Namespace          string      `xml:"xmlns,attr"`
	CAC                string      `xml:"xmlns:cac,attr"`
	CBC                string      `xml:"xmlns:cbc,attr"`
	CustomizationID    string      `xml:"cbc:CustomizationID"`
	ProfileID          string      `xml:"cbc:ProfileID,omitempty"`
	ID                 string      `xml:"cbc:ID"`
	IssueDate          string      `xml:"cbc:IssueDate"`
	DueDate            string      `xml:"cbc:DueDate,omitempty"`
	InvoiceTypeCode    string      `xml:"cbc:InvoiceTypeCode,omitempty"`
	CreditNoteTypeCode string      `xml:"cbc:CreditNoteTypeCode,omitempty"`
	Notes              []string    `xml:"cbc:Note"`
	Currency           string      `xml:"cbc:DocumentCurrencyCode,omitempty"`
	TaxCurrency        string      `xml:"cbc:TaxCurrencyCode,omitempty"`
	BuyerReference     string      `xml:"cbc:BuyerReference,omitempty"`
	Period             *period     `xml:"cac:InvoicePeriod"`
	Order              *order      `xml:"cac:OrderReference"`
	Credits            *credits    `xml:"cac:BillingReference>cac:InvoiceDocumentReference"`
	Contract           *reference  `xml:"cac:ContractDocumentReference"`
	CreditProject      *reference  `xml:"cac:AdditionalDocumentReference"`
	Project            *reference  `xml:"cac:ProjectReference"`
	Seller             party       `xml:"cac:AccountingSupplierParty>cac:Party"`
	Buyer              party       `xml:"cac:AccountingCustomerParty>cac:Party"`
	Delivery           *delivery   `xml:"cac:Delivery"`
	Payment            *payment    `xml:"cac:PaymentMeans"`
	Terms              *terms      `xml:"cac:PaymentTerms"`
	Allowances         []allowance `xml:"cac:AllowanceCharge"`
	Tax                []tax       `xml:"cac:TaxTotal"`
	Totals             totals      `xml:"cac:LegalMonetaryTotal"`
	InvoiceLines       []line      `xml:"cac:InvoiceLine"`
	CreditNoteLines    []line      `xml:"cac:CreditNoteLine"`
}

type period struct {
	From string `xml:"cbc:StartDate,omitempty"`
	To   string `xml:"cbc:EndDate,omitempty"`
}

type order struct {
	ID         string `xml:"cbc:ID"`
	SalesOrder string `xml:"cbc:SalesOrderID,omitempty"`
}

type reference struct {
	ID   string `xml:"cbc:ID"`
	Type string `xml:"cbc:DocumentTypeCode,omitempty"`
}

type delivery struct {
	Date    string   `xml:"cbc:ActualDeliveryDate,omitempty"`
	Address *address `xml:"cac:DeliveryLocation>cac:Address"`
	Name    *name    `xml:"cac:DeliveryParty>cac:PartyName"`
}

type terms struct {
	Note string `xml:"cbc:Note"`
}

type credits struct {
	Number string `xml:"cbc:ID"`
	Date   string `xml:"cbc:IssueDate,omitempty"`
}

type identifier struct {
	Value  string `xml:",chardata"`
	Scheme string `xml:"schemeID,attr,omitempty"`
}

func schemed(id, scheme string) *identifier {
	if id == "" {
		return nil
	}
	return &identifier{id, scheme}
}

type name struct {
	Name string `xml:"cbc:Name"`
}

func named(s string) *name {
	if s == "" {
		return nil
	}
	return &name{s}
}

type party struct {
	Endpoint *identifier `xml:"cbc:EndpointID"`
	IDs      []partyID   `xml:"cac:PartyIdentification"`
	Name     *name       `xml:"cac:PartyName"`
	Address  address     `xml:"cac:PostalAddress"`
	Taxes    []partyTax  `xml:"cac:PartyTaxScheme"`
	Legal    legal       `xml:"cac:PartyLegalEntity"`
	Contact  *contact    `xml:"cac:Contact"`
}

type address struct {
	Street  string `xml:"cbc:StreetName,omitempty"`
	Street2 string `xml:"cbc:AdditionalStreetName,omitempty"`
	City    string `xml:"cbc:CityName,omitempty"`
	Zip     string `xml:"cbc:PostalZone,omitempty"`
	Region  string `xml:"cbc:CountrySubentity,omitempty"`
	Country string `xml:"cac:Country>cbc:IdentificationCode,omitempty"`
}

type partyID struct {
	ID identifier `xml:"cbc:ID"`
}

type partyTax struct {
	ID     string `xml:"cbc:CompanyID"`
	Scheme string `xml:"cac:TaxScheme>cbc:ID"`
}

type legal struct {
	Name string      `xml:"cbc:RegistrationName"`
	ID   *identifier `xml:"cbc:CompanyID"`
	Text string      `xml:"cbc:CompanyLegalForm,omitempty"`
}

type contact struct {
	Name  string `xml:"cbc:Name,omitempty"`
	Phone string `xml:"cbc:Telephone,omitempty"`
	Email string `xml:"cbc:ElectronicMail,omitempty"`
}

type payment struct {
	Code      means    `xml:"cbc:PaymentMeansCode"`
	DueDate   string   `xml:"cbc:PaymentDueDate,omitempty"`
	Reference string   `xml:"cbc:PaymentID"`
	Card      *card    `xml:"cac:CardAccount"`
	Account   *account `xml:"cac:PayeeFinancialAccount"`
	Mandate   *mandate `xml:"cac:PaymentMandate"`
}

type means struct {
	Code string `xml:",chardata"`
	Text string `xml:"name,attr,omitempty"`
}

type card struct {
	Number  string `xml:"cbc:PrimaryAccountNumberID"`
	Network string `xml:"cbc:NetworkID"`
	Holder  string `xml:"cbc:HolderName,omitempty"`
}

type mandate struct {
	ID      string   `xml:"cbc:ID,omitempty"`
	Account *account `xml:"cac:PayerFinancialAccount"`
}

type account struct {
	ID     string  `xml:"cbc:ID"`
	Name   string  `xml:"cbc:Name,omitempty"`
	Branch *branch `xml:"cac:FinancialInstitutionBranch"`
}

type branch struct {
	ID string `xml:"cbc:ID"`
}

type amount struct {
	Value    string `xml:",chardata"`
	Currency string `xml:"currencyID,attr,omitempty"`
}

func money(d *billing.Document, a domain.Amount) amount {
	return amount{a.Fixed(billing.Cents), d.Currency}
}

type tax struct {
	Amount    amount     `xml:"cbc:TaxAmount"`
	Subtotals []subtotal `xml:"cac:TaxSubtotal"`
}

type subtotal struct {
	Taxable  amount   `xml:"cbc:TaxableAmount"`
	Amount   amount   `xml:"cbc:TaxAmount"`
	Category category `xml:"cac:TaxCategory"`
}

type category struct {
	Code       string `xml:"cbc:ID"`
	Percent    string `xml:"cbc:Percent,omitempty"`
	ReasonCode string `xml:"cbc:TaxExemptionReasonCode,omitempty"`
	Reason     string `xml:"cbc:TaxExemptionReason,omitempty"`
	Scheme     string `xml:"cac:TaxScheme>cbc:ID"`
}

// allowance is an allowance or a charge of the document or of a line, which has no category.
type allowance struct {
	IsCharge   bool      `xml:"cbc:ChargeIndicator"`
	ReasonCode string    `xml:"cbc:AllowanceChargeReasonCode,omitempty"`
	Reason     string    `xml:"cbc:AllowanceChargeReason"`
	Percent    string    `xml:"cbc:MultiplierFactorNumeric,omitempty"`
	Amount     amount    `xml:"cbc:Amount"`
	Base       *amount   `xml:"cbc:BaseAmount"`
	Category   *category `xml:"cac:TaxCategory"`
}

type totals struct {
	Total     amount  `xml:"cbc:LineExtensionAmount"`
	Net       amount  `xml:"cbc:TaxExclusiveAmount"`
	Gross     amount  `xml:"cbc:TaxInclusiveAmount"`
	Allowance *amount `xml:"cbc:AllowanceTotalAmount"`
	Charge    *amount `xml:"cbc:ChargeTotalAmount"`
	Prepaid   *amount `xml:"cbc:PrepaidAmount"`
	Rounding  *amount `xml:"cbc:PayableRoundingAmount"`
	AmountDue amount  `xml:"cbc:PayableAmount"`
}

func (t *totals) fill(d *billing.Document) {
	t.Total, t.Net, t.Gross, t.AmountDue = money(d, d.Total), money(d, d.Net), money(d, d.Gross), money(d, d.AmountDue)
	allowances, charges := d.AdjustmentTotals()
	if sum, ok := allowances.Get(); ok {
		allowance := money(d, sum)
		t.Allowance = &allowance
	}
	if sum, ok := charges.Get(); ok {
		charge := money(d, sum)
		t.Charge = &charge
	}
	if !d.Prepaid.IsZero() {
		prepaid := money(d, d.Prepaid)
		t.Prepaid = &prepaid
	}
	if !d.Rounding.IsZero() {
		rounding := money(d, d.Rounding)
		t.Rounding = &rounding
	}
}

type quantity struct {
	Value string `xml:",chardata"`
	Unit  string `xml:"unitCode,attr,omitempty"`
}

type line struct {
	ID          int         `xml:"cbc:ID"`
	Note        string      `xml:"cbc:Note,omitempty"`
	Invoiced    *quantity   `xml:"cbc:InvoicedQuantity"`
	Credited    *quantity   `xml:"cbc:CreditedQuantity"`
	Total       amount      `xml:"cbc:LineExtensionAmount"`
	Period      *period     `xml:"cac:InvoicePeriod"`
	Adjustments []allowance `xml:"cac:AllowanceCharge"`
	Item        item        `xml:"cac:Item"`
	Price       price       `xml:"cac:Price"`
}

type price struct {
	Amount amount    `xml:"cbc:PriceAmount"`
	Base   *quantity `xml:"cbc:BaseQuantity"`
}

type item struct {
	Description string      `xml:"cbc:Description,omitempty"`
	Name        string      `xml:"cbc:Name"`
	BuyerNumber *identifier `xml:"cac:BuyersItemIdentification>cbc:ID"`
	Number      *identifier `xml:"cac:SellersItemIdentification>cbc:ID"`
	GTIN        *identifier `xml:"cac:StandardItemIdentification>cbc:ID"`
	Category    category    `xml:"cac:ClassifiedTaxCategory"`
}
