package httpapi

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// stubCompanies has one company, which the token good names. It counts calls for new companies.
type stubCompanies struct {
	users stubUsers
	err   error
	soon  *int
}

func (s stubCompanies) Find(_ context.Context, token string, within time.Duration) (*Tenant, error) {
	if within < foundLater && s.soon != nil {
		*s.soon++
	}
	if token != "good" || s.err != nil {
		return nil, s.err
	}
	of := tenant.Tenant{Code: "0a1b2c3d", TimeZone: "Asia/Tokyo"}
	return NewTenant(of, access.NewAuthenticator(stubTokens{}, stubTokens{}, stubTokens{}), []Resource{Users(s.users)}), nil
}

// contract 14.32
func TestRequestIsServedByTheCompanyOfItsToken(t *testing.T) {
	served := false
	users := stubUsers(func(context.Context) (*readmodel.Rows, error) {
		served = true
		return readmodel.NewRows(7), nil
	})
	reject := stubUsers(func(context.Context) (*readmodel.Rows, error) {
		t.Error("the default company is asked")
		return readmodel.NewRows(7), nil
	})
	w, log := do(newGet("/rest/user?auth_key=good"), reject, func(c *Config) { c.Tenants = stubCompanies{users: users} })
	if w.Code != http.StatusOK || !served || !strings.Contains(log, `"company":"0a1b2c3d"`) {
		t.Errorf("%d, served: %v, log: %s", w.Code, served, log)
	}
	w, log = do(newGet("/rest/user?auth_key=good"), noRows)
	if w.Code != http.StatusOK || strings.Contains(log, "company") {
		t.Errorf("without companies: %d, log: %s", w.Code, log)
	}
}

func TestRequestIsUnavailableWhileItsCompanyIsUnknown(t *testing.T) {
	err := fault.New(fault.Unavailable, "the database does not respond; try again")
	if w, _ := do(newGet("/rest/user?auth_key=good"), noRows, func(c *Config) { c.Tenants = stubCompanies{err: err} }); w.Code != http.StatusServiceUnavailable {
		t.Errorf("the status is %d", w.Code)
	}
}
