package httpapi

import (
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Resources are the commands and readers behind the routes.
type Resources struct {
	Users readmodel.Reader[readmodel.NoFilter]

	Statuses            readmodel.Reader[readmodel.NoFilter]
	StatusCommands      *command.Statuses
	DealTypes           readmodel.Reader[readmodel.NoFilter]
	DealTypeCommands    *command.DealTypes
	InvoiceTypes        readmodel.Reader[readmodel.NoFilter]
	InvoiceTypeCommands *command.InvoiceTypes
	Performers          readmodel.Reader[readmodel.NoFilter]
	PerformerCommands   *command.Performers
	Clients             readmodel.Reader[readmodel.ClientFilter]
	ClientCommands      *command.Clients
	Contacts            readmodel.Reader[readmodel.ContactFilter]
	ContactCommands     *command.Contacts
	Deals               readmodel.Reader[readmodel.DealFilter]
	DealHistory         readmodel.Reader[readmodel.DealHistoryFilter]
	DealCommands        *command.Deals
	Offers              readmodel.Reader[readmodel.DocumentFilter]
	OfferCommands       *command.Offers
	Contracts           readmodel.Reader[readmodel.DocumentFilter]
	ContractCommands    *command.Contracts
	Invoices            readmodel.Reader[readmodel.InvoiceFilter]
	InvoiceItems        readmodel.Reader[readmodel.InvoiceItemFilter]
	InvoiceCommands     *command.Invoices
}

// routes are the routes of all resources.
func (r Resources) routes() []route {
	var all []route
	for _, routes := range [][]route{
		userRoutes(r.Users),
		statusRoutes(r.Statuses, r.StatusCommands),
		dealTypeRoutes(r.DealTypes, r.DealTypeCommands),
		invoiceTypeRoutes(r.InvoiceTypes, r.InvoiceTypeCommands),
		performerRoutes(r.Performers, r.PerformerCommands),
		clientRoutes(r.Clients, r.ClientCommands),
		contactRoutes(r.Contacts, r.ContactCommands),
		dealRoutes(r.Deals, r.DealHistory, r.DealCommands),
		offerRoutes(r.Offers, r.OfferCommands),
		contractRoutes(r.Contracts, r.ContractCommands),
		invoiceRoutes(r.Invoices, r.InvoiceCommands),
		invoiceItemRoutes(r.InvoiceItems, r.InvoiceCommands),
	} {
		all = append(all, routes...)
	}
	return all
}

// unfiltered is the filter of a list that cannot be narrowed.
func unfiltered(*params) readmodel.NoFilter { return readmodel.NoFilter{} }
