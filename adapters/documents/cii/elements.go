package cii

import "encoding/xml"

// document is the root element. An element without content is left out everywhere but for the
// delivery, which the schema requires.
type document struct {
	XMLName     xml.Name    `xml:"rsm:CrossIndustryInvoice"`
	RSM         string      `xml:"xmlns:rsm,attr"`
	RAM         string      `xml:"xmlns:ram,attr"`
	UDT         string      `xml:"xmlns:udt,attr"`
	QDT         string      `xml:"xmlns:qdt,attr"`
	Process     *process    `xml:"rsm:ExchangedDocumentContext>ram:BusinessProcessSpecifiedDocumentContextParameter"`
	Guideline   string      `xml:"rsm:ExchangedDocumentContext>ram:GuidelineSpecifiedDocumentContextParameter>ram:ID"`
	Header      header      `xml:"rsm:ExchangedDocument"`
	Transaction transaction `xml:"rsm:SupplyChainTradeTransaction"`
}

type process struct {
	ID string `xml:"ram:ID"`
}

type header struct {
	ID    string `xml:"ram:ID"`
	Type  string `xml:"ram:TypeCode"`
	Date  date   `xml:"ram:IssueDateTime>udt:DateTimeString"`
	Notes []note `xml:"ram:IncludedNote"`
}

type note struct {
	Text    string `xml:"ram:Content"`
	Subject string `xml:"ram:SubjectCode,omitempty"`
}

type date struct {
	Value  string `xml:",chardata"`
	Format string `xml:"format,attr"`
}

type transaction struct {
	Lines      []line     `xml:"ram:IncludedSupplyChainTradeLineItem"`
	Agreement  agreement  `xml:"ram:ApplicableHeaderTradeAgreement"`
	Delivery   delivery   `xml:"ram:ApplicableHeaderTradeDelivery"`
	Settlement settlement `xml:"ram:ApplicableHeaderTradeSettlement"`
}

type agreement struct {
	BuyerReference string `xml:"ram:BuyerReference,omitempty"`
	Seller         party  `xml:"ram:SellerTradeParty"`
	Buyer          party  `xml:"ram:BuyerTradeParty"`

	SalesOrder *reference `xml:"ram:SellerOrderReferencedDocument"`
	Order      *reference `xml:"ram:BuyerOrderReferencedDocument"`
	Contract   *reference `xml:"ram:ContractReferencedDocument"`
	Project    *project   `xml:"ram:SpecifiedProcuringProject"`
}

type reference struct {
	ID string `xml:"ram:IssuerAssignedID"`
}

type project struct {
	ID   string `xml:"ram:ID"`
	Name string `xml:"ram:Name"`
}

type delivery struct {
	To   *recipient `xml:"ram:ShipToTradeParty"`
	Date *date      `xml:"ram:ActualDeliverySupplyChainEvent>ram:OccurrenceDateTime>udt:DateTimeString"`
}

type recipient struct {
	Name    string   `xml:"ram:Name,omitempty"`
	Address *address `xml:"ram:PostalTradeAddress"`
}

type period struct {
	From *date `xml:"ram:StartDateTime>udt:DateTimeString"`
	To   *date `xml:"ram:EndDateTime>udt:DateTimeString"`
}

type identifier struct {
	Value  string `xml:",chardata"`
	Scheme string `xml:"schemeID,attr,omitempty"`
}

type party struct {
	ID       string         `xml:"ram:ID,omitempty"`
	GlobalID *identifier    `xml:"ram:GlobalID"`
	Name     string         `xml:"ram:Name"`
	Text     string         `xml:"ram:Description,omitempty"`
	Legal    *organization  `xml:"ram:SpecifiedLegalOrganization"`
	Contact  *contact       `xml:"ram:DefinedTradeContact"`
	Address  address        `xml:"ram:PostalTradeAddress"`
	Endpoint *uri           `xml:"ram:URIUniversalCommunication"`
	Taxes    []registration `xml:"ram:SpecifiedTaxRegistration"`
}

type organization struct {
	ID          *identifier `xml:"ram:ID"`
	TradingName string      `xml:"ram:TradingBusinessName,omitempty"`
}

type contact struct {
	Name  string `xml:"ram:PersonName,omitempty"`
	Phone *phone `xml:"ram:TelephoneUniversalCommunication"`
	Email *uri   `xml:"ram:EmailURIUniversalCommunication"`
}

type phone struct {
	Number string `xml:"ram:CompleteNumber"`
}

type uri struct {
	ID identifier `xml:"ram:URIID"`
}

type address struct {
	Zip     string `xml:"ram:PostcodeCode,omitempty"`
	Street  string `xml:"ram:LineOne,omitempty"`
	Street2 string `xml:"ram:LineTwo,omitempty"`
	City    string `xml:"ram:CityName,omitempty"`
	Country string `xml:"ram:CountryID,omitempty"`
	Region  string `xml:"ram:CountrySubDivisionName,omitempty"`
}

type registration struct {
	ID identifier `xml:"ram:ID"`
}

type settlement struct {
	Creditor    string      `xml:"ram:CreditorReferenceID,omitempty"`
	Reference   string      `xml:"ram:PaymentReference,omitempty"`
	TaxCurrency string      `xml:"ram:TaxCurrencyCode,omitempty"`
	Currency    string      `xml:"ram:InvoiceCurrencyCode,omitempty"`
	Payment     *payment    `xml:"ram:SpecifiedTradeSettlementPaymentMeans"`
	Taxes       []tax       `xml:"ram:ApplicableTradeTax"`
	Period      *period     `xml:"ram:BillingSpecifiedPeriod"`
	Allowances  []allowance `xml:"ram:SpecifiedTradeAllowanceCharge"`
	Terms       *terms      `xml:"ram:SpecifiedTradePaymentTerms"`
	Totals      totals      `xml:"ram:SpecifiedTradeSettlementHeaderMonetarySummation"`
	Credits     *credits    `xml:"ram:InvoiceReferencedDocument"`
}

type payment struct {
	Code    string   `xml:"ram:TypeCode"`
	Text    string   `xml:"ram:Information,omitempty"`
	Card    *card    `xml:"ram:ApplicableTradeSettlementFinancialCard"`
	Debited *account `xml:"ram:PayerPartyDebtorFinancialAccount"`
	Account *account `xml:"ram:PayeePartyCreditorFinancialAccount"`
	Bank    *bank    `xml:"ram:PayeeSpecifiedCreditorFinancialInstitution"`
}

type card struct {
	Number string `xml:"ram:ID"`
	Holder string `xml:"ram:CardholderName,omitempty"`
}

type account struct {
	IBAN   string `xml:"ram:IBANID,omitempty"`
	Holder string `xml:"ram:AccountName,omitempty"`
	Number string `xml:"ram:ProprietaryID,omitempty"`
}

type bank struct {
	BIC string `xml:"ram:BICID"`
}

type tax struct {
	Amount     string `xml:"ram:CalculatedAmount,omitempty"`
	Type       string `xml:"ram:TypeCode"`
	Reason     string `xml:"ram:ExemptionReason,omitempty"`
	Basis      string `xml:"ram:BasisAmount,omitempty"`
	Code       string `xml:"ram:CategoryCode"`
	ReasonCode string `xml:"ram:ExemptionReasonCode,omitempty"`
	Percent    string `xml:"ram:RateApplicablePercent,omitempty"`
}

// allowance is an allowance or a charge of the document or of a line, which has no tax.
type allowance struct {
	IsCharge   bool   `xml:"ram:ChargeIndicator>udt:Indicator"`
	Percent    string `xml:"ram:CalculationPercent,omitempty"`
	Base       string `xml:"ram:BasisAmount,omitempty"`
	Amount     string `xml:"ram:ActualAmount"`
	ReasonCode string `xml:"ram:ReasonCode,omitempty"`
	Reason     string `xml:"ram:Reason"`
	Tax        *tax   `xml:"ram:CategoryTradeTax"`
}

type terms struct {
	Description string `xml:"ram:Description,omitempty"`
	Due         *date  `xml:"ram:DueDateDateTime>udt:DateTimeString"`
	Mandate     string `xml:"ram:DirectDebitMandateID,omitempty"`
}

type amount struct {
	Value    string `xml:",chardata"`
	Currency string `xml:"currencyID,attr,omitempty"`
}

type totals struct {
	Lines     string   `xml:"ram:LineTotalAmount"`
	Charge    string   `xml:"ram:ChargeTotalAmount,omitempty"`
	Allowance string   `xml:"ram:AllowanceTotalAmount,omitempty"`
	Net       string   `xml:"ram:TaxBasisTotalAmount"`
	Tax       []amount `xml:"ram:TaxTotalAmount"`
	Rounding  string   `xml:"ram:RoundingAmount,omitempty"`
	Gross     string   `xml:"ram:GrandTotalAmount"`
	Prepaid   string   `xml:"ram:TotalPrepaidAmount,omitempty"`
	Due       string   `xml:"ram:DuePayableAmount"`
}

type credits struct {
	Number string  `xml:"ram:IssuerAssignedID"`
	Date   *issued `xml:"ram:FormattedIssueDateTime"`
}

type issued struct {
	Date date `xml:"qdt:DateTimeString"`
}

type quantity struct {
	Value string `xml:",chardata"`
	Unit  string `xml:"unitCode,attr,omitempty"`
}

type line struct {
	ID          int         `xml:"ram:AssociatedDocumentLineDocument>ram:LineID"`
	Note        *note       `xml:"ram:AssociatedDocumentLineDocument>ram:IncludedNote"`
	GTIN        *identifier `xml:"ram:SpecifiedTradeProduct>ram:GlobalID"`
	Number      string      `xml:"ram:SpecifiedTradeProduct>ram:SellerAssignedID,omitempty"`
	BuyerNumber string      `xml:"ram:SpecifiedTradeProduct>ram:BuyerAssignedID,omitempty"`
	Name        string      `xml:"ram:SpecifiedTradeProduct>ram:Name"`
	Description string      `xml:"ram:SpecifiedTradeProduct>ram:Description,omitempty"`
	Price       string      `xml:"ram:SpecifiedLineTradeAgreement>ram:NetPriceProductTradePrice>ram:ChargeAmount"`
	BaseCount   *quantity   `xml:"ram:SpecifiedLineTradeAgreement>ram:NetPriceProductTradePrice>ram:BasisQuantity"`
	Count       quantity    `xml:"ram:SpecifiedLineTradeDelivery>ram:BilledQuantity"`
	Tax         tax         `xml:"ram:SpecifiedLineTradeSettlement>ram:ApplicableTradeTax"`
	Period      *period     `xml:"ram:SpecifiedLineTradeSettlement>ram:BillingSpecifiedPeriod"`
	Adjustments []allowance `xml:"ram:SpecifiedLineTradeSettlement>ram:SpecifiedTradeAllowanceCharge"`
	Total       string      `xml:"ram:SpecifiedLineTradeSettlement>ram:SpecifiedTradeSettlementLineMonetarySummation>ram:LineTotalAmount"`
}
