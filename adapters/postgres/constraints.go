package postgres

import (
	"maps"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/domain/fault"
)

// constraint is what a constraint of the schema means to a caller.
type constraint struct {
	kind    fault.Kind
	field   string // the field to blame, if any
	message string // what is wrong with the field, or with the record
	code    fault.Code
	inUse   string // of a foreign key: why the referenced row cannot be deleted
}

func (c constraint) fault(side Side, cause error) error {
	if side == Removing && c.inUse != "" {
		return fault.New(fault.Conflict, "%s", c.inUse).Coded(fault.InUse).WithCause(cause)
	}
	if c.field == "" {
		return fault.New(c.kind, "%s", c.message).Coded(c.code).WithCause(cause)
	}
	return fault.As(fault.ForField(c.kind, c.field, "%s", c.message)).Coded(c.code).WithCause(cause)
}

func foreignKey(field, inUse string) constraint {
	return constraint{kind: fault.Dangling, field: field, message: fault.DoesNotExist, code: fault.NoRecord, inUse: inUse}
}

// invalid is a check of a field. The domain checks the same, so its violation means a
// gap in the domain; the caller still learns which field is wrong.
func invalid(field, message string) constraint {
	return constraint{kind: fault.Invalid, field: field, message: message}
}

// length is a check of the length of a text.
func length(field string) constraint {
	return constraint{kind: fault.Invalid, field: field, message: tooLong, code: fault.TooLong}
}

// taken is a unique attribute.
func taken(field, message string) constraint {
	return constraint{kind: fault.Invalid, field: field, message: message, code: fault.Taken}
}

// takenRef is a ref that another transaction has given to another record since this one has looked it up.
var takenRef = constraint{kind: fault.Conflict, field: "ref", message: "belongs to another record", code: fault.Taken}

// translated returns what the constraint of that name means. Those that are not listed follow a convention.
func translated(name string) (c constraint, ok bool) {
	if c, ok = constraints[name]; ok {
		return c, true
	}
	_, rule, _ := strings.Cut(name, "_") // a table of two words lists its lengths
	column, isLength := strings.CutSuffix(rule, "_length")
	switch {
	case isLength:
		return length(column), true
	case strings.HasSuffix(name, "_ref_unique"):
		return takenRef, true
	case strings.HasSuffix(name, "_version_positive"):
		return version, true
	case strings.HasSuffix(name, "_writer_version"):
		return writerTooOld, true
	}
	return primaryKeys, strings.HasSuffix(name, "_pk")
}

// constraints are the constraints of the schema whose meaning does not follow from their names.
var constraints = map[string]constraint{
	"users_username_unique": taken("username", "is taken"),
	"users_role_known":      invalid("role", "must be admin, manager or viewer"),
	"users_name_length":     length("fname"),

	"tokens_user_fk":               foreignKey("user", "the user has tokens"),
	"tokens_public_id_unique":      {kind: fault.Conflict, code: fault.Taken, message: "the token's public id is taken; issue another one"},
	"tokens_secret_hash_length":    invalid("secret_hash", "must have 32 bytes"),
	"tokens_expiry_after_creation": invalid("ttl", "must be positive"),
	"tokens_scopes_length":         length("scope"),

	"statuses_one_default": {
		kind: fault.Conflict, code: fault.Concurrent, message: "another status has become the default at the same time; try again",
	},
	"statuses_color_form": invalid("color", "must be like #1e90ff"),

	"deal_types_name_length":    length("name"),
	"invoice_types_name_length": length("title"),

	"performers_vat_percent_range": invalid("vat_percent", "must be between 0 and 100"),

	"performer_files_performer_fk": foreignKey("performer_id", "the performer has pictures"),
	"performer_files_picture_fk": {
		kind: fault.Conflict, code: fault.Concurrent, message: "the picture is being changed at the same time",
	},
	"performer_files_kind_known":  invalid("kind", "must be logo, stamp_file, leader_sig_file or booker_sig_file"),
	"pictures_sha256_length":      invalid("sha256", "must have 32 bytes"),
	"pictures_content_type_known": invalid("content_type", "must be image/png or image/jpeg"),
	"pictures_data_length":        invalid("data", "is empty or too large"),

	"clients_user_fk":            foreignKey("user", "the user is responsible for clients"),
	"clients_type_known":         invalid("type", "must be 1 or 2"),
	"clients_company_attributes": invalid("type", "does not have these attributes"),
	"clients_person_attributes":  invalid("type", "does not have these attributes"),

	"parties_performer_fk":       foreignKey("performer_id", "the performer has a party"),
	"parties_client_fk":          foreignKey("client_id", "the client has a party"),
	"parties_performer_unique":   {kind: fault.Conflict, code: fault.Concurrent, message: "the performer has got a party at the same time"},
	"parties_client_unique":      {kind: fault.Conflict, code: fault.Concurrent, message: "the client has got a party at the same time"},
	"parties_one_owner":          {kind: fault.Conflict, message: "a party belongs to a performer or a client"},
	"parties_payment_days_range": invalid("payment_days", "must be from 0 to 3650"),
	"parties_digits_known":       invalid("digits", "must be 2 or 4"),
	"parties_numbering_known":    invalid("numbering", "must be manual or series"),

	"parties_discount_percent_range": invalid("discount_percent", "must be above 0 and at most 100"),
	"parties_discount_days_range":    invalid("discount_days", "must be from 0 to 3650"),
	"parties_discount_is_whole":      invalid("discount_days", "must be given with discount_percent"),

	"deals_client_fk":          foreignKey("client_id", "the client has deals"),
	"deals_user_fk":            foreignKey("user", "the user is responsible for deals"),
	"deals_type_fk":            foreignKey("type_id", "the type is in use by deals"),
	"deals_status_fk":          foreignKey("status_id", "the status is in use by deals"),
	"deals_with_client_unique": {kind: fault.Conflict, message: "the deal exists"},

	"offers_deal_fk":       foreignKey("deal_id", "the deal has offers"),
	"offers_date_range":    invalid("date", years),
	"contracts_deal_fk":    foreignKey("deal_id", "the deal has contracts"),
	"contracts_date_range": invalid("date", years),

	"deal_history_cause_length": length("cause"),
	"rules_name_unique":         taken("name", "belongs to another rule"),
	"rules_name_form":           invalid("name", "must be a name of a rule"),
	"rules_operations_known":    invalid("on", "must be a list of create, update, delete"),
	"rules_mode_known":          invalid("mode", "must be off, shadow, warn or enforce"),
	"rules_source_known":        invalid("source", "must be program or typed"),
	"rules_expression_if_typed": invalid("expression", "must be given for a typed rule, with a message"),
	"rule_set_one_row":          {kind: fault.Conflict, message: "there is one set of rules"},
	"rule_counts_rule_fk":       foreignKey("rule_id", "the rule has counts"),
	"rule_counts_not_negative":  {kind: fault.Conflict, message: "counts of a rule are not negative"},
	"rule_violations_rule_fk":   foreignKey("rule_id", "the rule has violations"),

	"contacts_client_fk": foreignKey("client_id", "the client has contacts"),
	"contacts_deal_fk":   foreignKey("deal_id", "the deal has contacts"),
	"contacts_one_link":  invalid("client_id", "must be given if deal_id is not, and not together with it"),

	"invoices_user_fk":                  foreignKey("user_id", "the user has created invoices"),
	"invoices_performer_fk":             foreignKey("performer_id", "the performer has issued invoices"),
	"invoices_client_fk":                foreignKey("client_id", "the client has invoices"),
	"invoices_type_fk":                  foreignKey("type_id", "the type is in use by invoices"),
	"invoices_deal_of_client_fk":        foreignKey("deal_id", "the deal has invoices"),
	"invoices_date_range":               invalid("date", years),
	"invoices_credits_fk":               foreignKey("credits", "the invoice has credit notes"),
	"invoices_issued_if_credit":         invalid("credits", "must be issued"),
	"invoices_due_date_range":           invalid("due_date", years),
	"invoices_digits_known":             invalid("digits", "must be 2 or 4"),
	"invoices_status_known":             invalid("status_id", "must be between 1 and 4"),
	"invoices_discount_percent_range":   invalid("discount_percent", "must be between 0 and 100"),
	"invoices_currency_length":          invalid("currency", "must have three letters"),
	"invoices_exchange_rate_positive":   invalid("exchange_rate", "must be above 0"),
	"invoices_vat_percent_range":        invalid("vat_percent", "must be between 0 and 100"),
	"invoices_total_count_not_negative": invalid("items", "must not be negative"),
	"invoices_vat_only_if_used":         invalid("vat_price", "must be 0 without VAT"),
	"invoices_pay_price_is_sum":         invalid("pay_price", "must be the total and the VAT"),
	"invoices_owed_price_is_pay_price":  invalid("pay_price", "must be what is owed, in cents"),
	"invoices_paid_price_in_range":      invalid("paid", "must not exceed what is owed"),
	"invoices_nothing_due_if_paid":      invalid("paid", "must not be true while something is due"),
	"invoices_paid_on_if_paid":          invalid("paid", "must agree with the time of payment"),
	"invoices_paid_month_if_paid":       invalid("paid", "must agree with the month of payment"),

	"invoices_discount_percent_early_range": invalid("discount_percent_early", "must be above 0 and at most 100"),
	"invoices_discount_until_range":         invalid("discount_until", "must be from the date on, before the year 10000"),
	"invoices_discount_early_is_whole":      invalid("discount_until", "must be given with discount_percent_early"),

	"invoice_lines_invoice_fk":               foreignKey("invoice_id", "the invoice has lines"),
	"invoice_lines_name_length":              length("name"),
	"invoice_lines_units_length":             length("units"),
	"invoice_lines_description_length":       length("description"),
	"invoice_lines_item_number_length":       length("item_number"),
	"invoice_lines_buyer_item_number_length": length("buyer_item_number"),
	"invoice_lines_gtin_length":              length("gtin"),
	"invoice_lines_note_length":              length("note"),
	"invoice_lines_period_in_order":          invalid("period_to", "must not be before period_from"),
	"invoice_lines_discount_percent_range":   invalid("discount_percent", "must be between 0 and 100"),
	"invoice_lines_base_count_positive":      invalid("base_count", "must be above 0"),
	"invoice_lines_vat_percent_range":        invalid("vat_percent", "must be between 0 and 100"),
	"invoice_lines_vat_rate_complete":        invalid("vat_percent", "must not be without vat_category"),
	"invoice_lines_vat_category_known":       invalid("vat_category", "is unknown"),
	"invoice_lines_vat_only_if_standard":     invalid("vat_percent", "must be 0 with this vat_category"),
	"invoice_lines_count_not_zero":           invalid("count", "must not be 0"),
	"invoice_lines_total_is_product":         invalid("total_price", "must be count times price, less the discount"),

	"series_performer_fk":         foreignKey("performer_id", "the performer has number series"),
	"series_kind_known":           {kind: fault.Conflict, message: "there is no such kind of series"},
	"issued_documents_invoice_fk": foreignKey("invoice_id", "the invoice is issued"),
	"issued_documents_series_fk":  foreignKey("performer_id", "the series has numbers"),
	"issued_documents_seq_unique": {kind: fault.Conflict, message: "the series has the number"},
	"issued_documents_number_unique": {
		kind: fault.Conflict, code: fault.Taken, message: "another series of the performer has the number: its patterns make the same one",
	},

	"payments_performer_fk":               foreignKey("performer_id", "the performer has payments"),
	"payments_client_fk":                  foreignKey("client_id", "the client has payments"),
	"payments_automatic_of_fk":            foreignKey("invoice_id", "the invoice has an automatic payment"),
	"payments_automatic_of_unique":        {kind: fault.Conflict, code: fault.Concurrent, message: "the invoice is being paid meanwhile"},
	"payments_date_range":                 invalid("date", years),
	"payments_amount_in_cents":            invalid("amount", "must have at most two fraction digits"),
	"payments_rest_in_range":              invalid("items", "must not come to more than the amount"),
	"payments_reference_unique":           {kind: fault.Conflict, field: "reference", message: "is another payment's", code: fault.Taken},
	"allocations_payment_fk":              foreignKey("id", "the payment has items"),
	"allocations_invoice_fk":              foreignKey("items", "the invoice has payments"),
	"allocations_in_cents":                invalid("items", "must have at most two fraction digits"),
	"allocations_reason_if_waived":        invalid("items", "must have a reason if something is waived"),
	"allocations_payment_unless_reversed": {kind: fault.Conflict, message: "an item belongs to a payment"},
	"allocations_reversed_after_recorded": {kind: fault.Conflict, message: "an item ends after its beginning"},

	"deal_history_deal_fk":    foreignKey("deal_id", "the deal has a history"),
	"deal_history_status_fk":  foreignKey("status_id", "the status is in the history of a deal"),
	"deal_history_invoice_fk": foreignKey("invoice_id", "the invoice is in the history of a deal"),
	"deal_history_user_fk":    foreignKey("user_id", "the user is in the history of a deal"),

	"idempotency_keys_user_fk":            foreignKey("user_id", "the user has idempotency keys"),
	"idempotency_keys_path_length":        length("path"),
	"idempotency_keys_key_length":         length("Idempotency-Key"),
	"idempotency_keys_fingerprint_length": invalid("fingerprint", "must have 32 bytes"),

	"settings_name_known": invalid("name", "is not a setting of the database"),

	"read_model_state_one_row": inconsistent,
}

const (
	tooLong = "is empty or too long"
	years   = "must be in the years 1900 to 9999"
)

var version = constraint{kind: fault.Conflict, message: "version overflow"}

// inconsistent is a constraint of the read models, which no caller writes.
var inconsistent = constraint{kind: fault.Conflict, message: "the read models are inconsistent; rebuild them with kontor readmodel rebuild"}

// writerTooOld rejects the changes of a program below the database's minimum version.
var writerTooOld = constraint{
	kind:    fault.Unavailable,
	message: "this program is too old for the database, and stores no changes of records; use a newer program",
}

// primaryKeys are generated by the database and never collide.
var primaryKeys = constraint{kind: fault.Conflict, message: "the record exists"}

// TranslatedConstraints lists the names of the constraints that do not follow a convention.
func TranslatedConstraints() []string {
	return slices.Sorted(maps.Keys(constraints))
}
