package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/domain/fault"
)

func TestWriteToAStandbyIsUnavailable(t *testing.T) {
	err := Fault(&pgconn.PgError{Code: "25006", Message: "cannot execute INSERT in a read-only transaction"}, Storing)
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("the error is %v", err)
	}
}

// contract 15.3
func TestConstraintOfAWorkerIsFoundInTheMessage(t *testing.T) {
	for message, want := range map[string]string{
		`duplicate key value violates unique constraint "users_username_unique_102010"`:                                                 "users_username_unique",
		`insert or update on table "offers_102018" violates foreign key constraint "offers_deal_fk_102018"`:                             "offers_deal_fk",
		`update or delete on table "deals_102017" violates foreign key constraint "invoices_deal_of_client_fk_1" on table "invoices_1"`: "invoices_deal_of_client_fk",
		`doppelter Schlüsselwert verletzt Unique-Constraint »statuses_one_default_102012«`:                                              "statuses_one_default",
		`duplicate key value violates unique constraint "other_102012"`:                                                                 "",
	} {
		if got := constraintName(&pgconn.PgError{Message: message}); got != want {
			t.Errorf("the constraint of %q is %q, want %q", message, got, want)
		}
	}
}

// contract 15.3
func TestConstraintOfAWorkerIsFoundByItsName(t *testing.T) {
	for name, want := range map[string]string{"users_username_unique_102010": "users_username_unique", "users_username_unique": "users_username_unique", "other_1": "other_1"} {
		if got := constraintName(&pgconn.PgError{ConstraintName: name}); got != want {
			t.Errorf("the constraint of %s is %s, want %s", name, got, want)
		}
	}
}

// contract 15.3
func TestChangeWithoutABatchIsRepeatedWhateverItsCodeIs(t *testing.T) {
	for _, code := range []string{"23502", "XX000"} { // of a statement on a worker, and of rows that are copied there
		err := &pgconn.PgError{Code: code, Message: `null value in column "batch_id" of relation "client_changes_102029" violates not-null constraint`}
		if !isContention(err) || !fault.Is(Fault(err, Storing), fault.Unavailable) {
			t.Errorf("an error %s is %v", code, Fault(err, Storing))
		}
	}
	if err := (&pgconn.PgError{Code: "XX000", Message: "cache lookup failed"}); isContention(err) || fault.As(Fault(err, Storing)) != nil {
		t.Errorf("another internal error is %v", Fault(err, Storing))
	}
}
