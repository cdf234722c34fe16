// Package demo fills an empty service with a few realistic records to try it with.
package demo

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

const (
	// admin is the username that the token belongs to. If it exists, the demo data
	// is already loaded.
	admin = "demo"

	tokenTTL = 24 * time.Hour
)

// Run loads the data unless it is already loaded, and writes the address, a new token
// and three requests to try. The previous token is revoked.
func Run(ctx context.Context, w io.Writer, commands bootstrap.Commands, address string) error {
	if err := load(ctx, commands, time.Now()); err != nil {
		return fmt.Errorf("load the demo data: %w", err)
	}
	secret, _, err := commands.Tokens.Renew(ctx, admin, tokenTTL)
	if err != nil {
		return fmt.Errorf("issue the demo's token: %w", err)
	}
	_, err = strings.NewReplacer("ADDRESS", address, "SECRET", secret.Token).WriteString(w, text)
	return err
}

// text is the output. Each request is one line, to be copied as a whole.
const text = `
The demo data is loaded. The service is at ADDRESS, and the reference of its API at ADDRESS/docs

Set these variables in another terminal. The token of the user "demo", an admin, is valid for 24 hours:

  export KONTOR=ADDRESS
  export TOKEN=SECRET

Three requests to try there:

  # unpaid invoices, oldest first
  curl "$KONTOR/rest/invoice?status_id=1&sort=date&fields=number,date,pay_price,company.name&_format=json&auth_key=$TOKEN"

  # companies, three per page, with their responsible users and number of deals
  curl -H "Authorization: Bearer $TOKEN" "$KONTOR/rest/client?type=1&per_page=3&expand=user&count_deals=1"

  # a new client
  curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"name":"Bakery Goldkrume","type":1,"email":"shop@goldkrume.example"}' "$KONTOR/rest/client"

`
