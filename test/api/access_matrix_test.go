package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// permissions are the statuses of a valid request for one route, by caller. noToken
// stands for a missing or invalid token.
type permissions struct {
	noToken, viewer, manager, admin int
	carries                         any // the query of a read, the body of a write
}

// matrix has the permissions of every route. The ids in the bodies are those of
// startMatrix.
var matrix = map[string]permissions{
	// The route, then its status without a valid token, for a viewer, a manager and an
	// administrator.
	"GET /healthz":              {200, 200, 200, 200, nil},
	"GET /readyz":               {200, 200, 200, 200, nil},
	"GET /version":              {200, 200, 200, 200, nil},
	"GET /openapi.json":         {200, 200, 200, 200, nil},
	"GET /openapi-codegen.json": {200, 200, 200, 200, nil},

	"GET /rest/me": {401, 200, 200, 200, nil},

	"GET /rest/user":      {401, 200, 200, 200, nil},
	"GET /rest/user/{id}": {401, 200, 200, 200, nil},

	// Administrators write reference lists, performers and rules.
	"GET /rest/status":         {401, 200, 200, 200, nil},
	"GET /rest/status/{id}":    {401, 200, 200, 200, nil},
	"POST /rest/status":        {401, 403, 403, 200, fields{"name": "Lost"}},
	"PUT /rest/status/{id}":    {401, 403, 403, 200, fields{"name": "Found"}},
	"PATCH /rest/status/{id}":  {401, 403, 403, 200, fields{"color": "#00ff00"}},
	"DELETE /rest/status/{id}": {401, 403, 403, 200, nil},

	"GET /rest/deal-type":         {401, 200, 200, 200, nil},
	"GET /rest/deal-type/{id}":    {401, 200, 200, 200, nil},
	"POST /rest/deal-type":        {401, 403, 403, 200, fields{"name": "Rent"}},
	"PUT /rest/deal-type/{id}":    {401, 403, 403, 200, fields{"name": "Lease"}},
	"PATCH /rest/deal-type/{id}":  {401, 403, 403, 200, fields{"name": "Lease"}},
	"DELETE /rest/deal-type/{id}": {401, 403, 403, 200, nil},

	"GET /rest/invoice-type":         {401, 200, 200, 200, nil},
	"GET /rest/invoice-type/{id}":    {401, 200, 200, 200, nil},
	"POST /rest/invoice-type":        {401, 403, 403, 200, fields{"title": "Advance"}},
	"PUT /rest/invoice-type/{id}":    {401, 403, 403, 200, fields{"title": "Final"}},
	"PATCH /rest/invoice-type/{id}":  {401, 403, 403, 200, fields{"title": "Final"}},
	"DELETE /rest/invoice-type/{id}": {401, 403, 403, 200, nil},

	"GET /rest/performer":         {401, 200, 200, 200, nil},
	"GET /rest/performer/{id}":    {401, 200, 200, 200, nil},
	"POST /rest/performer":        {401, 403, 403, 200, fields{"name": "Branch"}},
	"PUT /rest/performer":         {401, 403, 403, 200, fields{"leader": "Ada"}}, // with a ref
	"PUT /rest/performer/{id}":    {401, 403, 403, 200, fields{"leader": "Ada"}},
	"PATCH /rest/performer/{id}":  {401, 403, 403, 200, fields{"leader": "Ada"}},
	"DELETE /rest/performer/{id}": {401, 403, 403, 200, nil},

	"GET /rest/performer/{id}/party":    {401, 200, 200, 200, nil},
	"PUT /rest/performer/{id}/party":    {401, 403, 403, 200, fields{"legal_name": "Branch Ltd", "digits": 2}},
	"PATCH /rest/performer/{id}/party":  {401, 403, 403, 200, fields{"city": "Kiel"}},
	"DELETE /rest/performer/{id}/party": {401, 403, 403, 200, nil},
	"GET /rest/performer/{id}/series":   {401, 200, 200, 200, nil},

	"GET /rest/performer/{id}/file/logo":               {401, 200, 200, 200, nil},
	"PUT /rest/performer/{id}/file/logo":               {401, 403, 403, 200, painted(2)},
	"DELETE /rest/performer/{id}/file/logo":            {401, 403, 403, 200, nil},
	"GET /rest/performer/{id}/file/stamp_file":         {401, 200, 200, 200, nil},
	"PUT /rest/performer/{id}/file/stamp_file":         {401, 403, 403, 200, painted(2)},
	"DELETE /rest/performer/{id}/file/stamp_file":      {401, 403, 403, 200, nil},
	"GET /rest/performer/{id}/file/leader_sig_file":    {401, 200, 200, 200, nil},
	"PUT /rest/performer/{id}/file/leader_sig_file":    {401, 403, 403, 200, painted(2)},
	"DELETE /rest/performer/{id}/file/leader_sig_file": {401, 403, 403, 200, nil},
	"GET /rest/performer/{id}/file/booker_sig_file":    {401, 200, 200, 200, nil},
	"PUT /rest/performer/{id}/file/booker_sig_file":    {401, 403, 403, 200, painted(2)},
	"DELETE /rest/performer/{id}/file/booker_sig_file": {401, 403, 403, 200, nil},

	// Only administrators read tokens.
	"GET /rest/token":         {401, 403, 403, 200, "fields=id,public_id"},
	"GET /rest/token/{id}":    {401, 403, 403, 200, "fields=id,public_id"},
	"POST /rest/token":        {401, 403, 403, 200, fields{"label": "shop", "scopes": []string{"token:read"}}},
	"DELETE /rest/token/{id}": {401, 403, 403, 200, nil},

	"GET /rest/rule":                    {401, 200, 200, 200, nil},
	"GET /rest/rule/{id}":               {401, 200, 200, 200, nil},
	"GET /rest/rule/{id}/violations":    {401, 200, 200, 200, nil},
	"POST /rest/rule":                   {401, 403, 403, 200, fieldsWith(namesRequired("first"), fields{"mode": "off"})},
	"PUT /rest/rule/{id}":               {401, 403, 403, 200, fields{"message": "no"}},
	"PATCH /rest/rule/{id}":             {401, 403, 403, 200, fields{"on": []string{"create"}}},
	"DELETE /rest/rule/{id}":            {401, 403, 403, 200, nil},
	"DELETE /rest/rule/{id}/violations": {401, 403, 403, 200, nil},
	"POST /rest/rule-trial":             {401, 403, 403, 200, namesRequired("tried")},
	"POST /rest/rule/{id}/trial":        {401, 403, 403, 200, fields{"message": "no"}},

	// Managers write all other resources too.
	"GET /rest/client":         {401, 200, 200, 200, nil},
	"GET /rest/client/{id}":    {401, 200, 200, 200, nil},
	"POST /rest/client":        {401, 403, 200, 200, fields{"name": "Carl", "type": 2}},
	"PUT /rest/client":         {401, 403, 200, 200, fields{"phone": "7"}}, // with a ref
	"PUT /rest/client/{id}":    {401, 403, 200, 200, fields{"phone": "7"}},
	"PATCH /rest/client/{id}":  {401, 403, 200, 200, fields{"phone": "7"}},
	"DELETE /rest/client/{id}": {401, 403, 200, 200, nil},

	"POST /rest/client/{id}/erase": {401, 403, 403, 200, fields{}},

	"GET /rest/client/{id}/party":    {401, 200, 200, 200, nil},
	"PUT /rest/client/{id}/party":    {401, 403, 200, 200, fields{"legal_name": "Carl", "country": "DE"}},
	"PATCH /rest/client/{id}/party":  {401, 403, 200, 200, fields{"city": "Kiel"}},
	"DELETE /rest/client/{id}/party": {401, 403, 200, 200, nil},

	"GET /rest/client/{id}/changes":    {401, 200, 200, 200, nil},
	"GET /rest/contact/{id}/changes":   {401, 200, 200, 200, nil},
	"GET /rest/deal/{id}/changes":      {401, 200, 200, 200, nil},
	"GET /rest/invoice/{id}/changes":   {401, 200, 200, 200, nil},
	"GET /rest/payment/{id}/changes":   {401, 200, 200, 200, nil},
	"GET /rest/performer/{id}/changes": {401, 200, 200, 200, nil},

	"GET /rest/contact":         {401, 200, 200, 200, "client_id=1"},
	"GET /rest/contact/{id}":    {401, 200, 200, 200, nil},
	"POST /rest/contact":        {401, 403, 200, 200, fields{"name": "Cleo", "client_id": 1}},
	"PUT /rest/contact":         {401, 403, 200, 200, fields{"rank": "boss"}}, // with a ref
	"PUT /rest/contact/{id}":    {401, 403, 200, 200, fields{"rank": "boss"}},
	"PATCH /rest/contact/{id}":  {401, 403, 200, 200, fields{"rank": "boss"}},
	"DELETE /rest/contact/{id}": {401, 403, 200, 200, nil},

	"GET /rest/deal":              {401, 200, 200, 200, nil},
	"GET /rest/deal/{id}":         {401, 200, 200, 200, nil},
	"GET /rest/deal/{id}/history": {401, 200, 200, 200, nil},
	"POST /rest/deal":             {401, 403, 200, 200, fields{"name": "Door"}},
	"PUT /rest/deal":              {401, 403, 200, 200, fields{"status_id": 2}}, // with a ref
	"PUT /rest/deal/{id}":         {401, 403, 200, 200, fields{"status_id": 2}},
	"PATCH /rest/deal/{id}":       {401, 403, 200, 200, fields{"status_id": 2}},
	"DELETE /rest/deal/{id}":      {401, 403, 200, 200, nil},

	"GET /rest/offer":         {401, 200, 200, 200, nil},
	"GET /rest/offer/{id}":    {401, 200, 200, 200, nil},
	"POST /rest/offer":        {401, 403, 200, 200, fields{"deal_id": 1, "number": "O-2"}},
	"PUT /rest/offer/{id}":    {401, 403, 200, 200, fields{"notice": "void"}},
	"PATCH /rest/offer/{id}":  {401, 403, 200, 200, fields{"notice": "void"}},
	"DELETE /rest/offer/{id}": {401, 403, 200, 200, nil},

	"GET /rest/contract":         {401, 200, 200, 200, nil},
	"GET /rest/contract/{id}":    {401, 200, 200, 200, nil},
	"POST /rest/contract":        {401, 403, 200, 200, fields{"deal_id": 1, "number": "C-2"}},
	"PUT /rest/contract/{id}":    {401, 403, 200, 200, fields{"notice": "void"}},
	"PATCH /rest/contract/{id}":  {401, 403, 200, 200, fields{"notice": "void"}},
	"DELETE /rest/contract/{id}": {401, 403, 200, 200, nil},

	"GET /rest/invoice":              {401, 200, 200, 200, nil},
	"GET /rest/invoice/{id}":         {401, 200, 200, 200, nil},
	"GET /rest/invoice/{id}/explain": {401, 200, 200, 200, nil},

	"GET /rest/invoice/{id}/document":       {401, 200, 200, 200, nil},
	"GET /rest/invoice/{id}/document/check": {401, 200, 200, 200, nil},
	"POST /rest/invoice":                    {401, 403, 200, 200, bill(fields{"items": []fields{goods("pens", 2, 3)}})},
	"POST /rest/invoice/{id}/issue":         {401, 403, 200, 200, fields{"date": "2024-03-10"}},
	"POST /rest/invoice/{id}/credit":        {401, 403, 200, 200, fields{"date": "2024-03-11"}},
	"PUT /rest/invoice":                     {401, 403, 200, 200, fields{"paid": true}}, // with a ref
	"PUT /rest/invoice/{id}":                {401, 403, 200, 200, fields{"paid": true}},
	"PATCH /rest/invoice/{id}":              {401, 403, 200, 200, fields{"items": []fields{}}},
	"DELETE /rest/invoice/{id}":             {401, 403, 200, 200, nil},

	"GET /rest/invoice-items":         {401, 200, 200, 200, nil},
	"GET /rest/invoice-items/{id}":    {401, 200, 200, 200, nil},
	"POST /rest/invoice-items":        {401, 403, 200, 200, fields{"invoice_id": 1, "name": "ink"}},
	"PUT /rest/invoice-items/{id}":    {401, 403, 200, 200, fields{"items_count": 5}},
	"PATCH /rest/invoice-items/{id}":  {401, 403, 200, 200, fields{"units": "box"}},
	"DELETE /rest/invoice-items/{id}": {401, 403, 200, 200, nil},

	"GET /rest/payment":         {401, 200, 200, 200, nil},
	"GET /rest/payment/{id}":    {401, 200, 200, 200, nil},
	"POST /rest/payment":        {401, 403, 200, 200, fields{"performer_id": 1, "date": "2024-03-20", "amount": "7.10"}},
	"PUT /rest/payment":         {401, 403, 200, 200, fields{"method": "cash"}}, // with a ref
	"PUT /rest/payment/{id}":    {401, 403, 200, 200, fields{"method": "cash"}},
	"PATCH /rest/payment/{id}":  {401, 403, 200, 200, fields{"method": "cash"}},
	"DELETE /rest/payment/{id}": {401, 403, 200, 200, nil},

	"GET /rest/report/receivables": {401, 200, 200, 200, nil},
	"GET /rest/report/revenue":     {401, 200, 200, 200, nil},
	"GET /rest/report/vat":         {401, 200, 200, 200, nil},
	"GET /rest/report/overdue":     {401, 200, 200, 200, nil},
}

// publicRoutes are the routes that KONTOR_PUBLIC_LISTS opens to requests without a token.
var publicRoutes = []string{
	"GET /rest/user", "GET /rest/user/{id}",
	"GET /rest/status", "GET /rest/status/{id}",
	"GET /rest/deal-type", "GET /rest/deal-type/{id}",
	"GET /rest/invoice-type", "GET /rest/invoice-type/{id}",
}

// contract 1.2, 1.17, 1.18
func TestAccessMatrixCoversEveryRoute(t *testing.T) {
	t.Parallel()
	var routes []string
	for _, r := range operations() {
		route := r.Method + " " + r.Path
		routes = append(routes, route)
		if _, ok := matrix[route]; !ok {
			t.Errorf("the matrix has no row for %s", route)
		}
	}
	for route := range matrix {
		if !slices.Contains(routes, route) {
			t.Errorf("the matrix has a row for %s, which is not a route", route)
		}
	}
}

// contract 1.2, 1.17, 1.18
// contract 3.10, 3.15, 3.29, 4.65, 5.3, 5.5, 5.13
func TestAccessMatrixHoldsForEveryRouteAndRole(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	for _, route := range m.routes() {
		for _, caller := range callersOf(route) {
			m.run(t, route, caller, func(m *matrixService) { m.check(route, caller, matrix[route].of(caller)) })
		}
	}
}

// contract 1.19, 3.10, 5.4: only reads change, and only without a token.
func TestPublicReferenceListsNeedNoToken(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "requests without a token")
	m := startMatrix(t, func(c *bootstrap.Config) { c.PublicLists = true })
	for _, route := range m.routes() {
		isOpen := slices.Contains(publicRoutes, route)
		for _, caller := range []string{"nobody", "unknown"} {
			want := matrix[route].of(caller)
			if caller == "nobody" && isOpen {
				want = 200
			}
			if caller == "nobody" || isOpen {
				m.run(t, route, caller, func(m *matrixService) { m.check(route, caller, want) })
			}
		}
	}
}

// contract 5.4
func TestPublicUsersShowNamesOnly(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "requests without a token")
	s := start(t, func(c *bootstrap.Config) { c.PublicLists = true })
	for path, private := range map[string]int{
		"/rest/user": 200, "/rest/user/2": 200,
		"/rest/user?fields=id,email": 400, "/rest/user/2?fields=username": 400,
		"/rest/user?sort=username": 400, "/rest/user?sort=-email": 400,
	} {
		all := s.as("viewer").get(path).wants(200).body
		if private == 200 && (!strings.Contains(all, "@example.org") || !strings.Contains(all, `"username"`)) {
			t.Errorf("%s with a token: %s", path, all)
		}
		public := s.nobody().get(path).wants(private).body
		if strings.Contains(public, "@example.org") || strings.Contains(public, `"username"`) {
			t.Errorf("%s without a token: %s", path, public)
		}
	}
	names := s.nobody().get("/rest/user/2").wants(200).body
	for _, want := range []string{`"id":2`, `"name":"Mara Nager"`, `"fname":"Mara"`, `"lname":"Nager"`} {
		if !strings.Contains(names, want) {
			t.Errorf("%s lacks %s", names, want)
		}
	}
}

// contract 5.5: the response does not tell why a token is invalid.
func TestInvalidTokensAreAllRejectedAlike(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	unknown := m.as("unknown").get("/rest/client").rejected(401)
	for _, caller := range []string{"expired", "revoked", "disabled"} {
		if got := m.as(caller).get("/rest/client").rejected(401); got.Detail != unknown.Detail || strings.Contains(got.Detail, "disabled") {
			t.Errorf("the detail for a token that is %s is %q, for an unknown one %q", caller, got.Detail, unknown.Detail)
		}
	}
}
