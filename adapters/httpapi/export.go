package httpapi

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/encode"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// allParameter asks for the whole list in one response.
//
// Chose: only in CSV. Because: a JSON or XML document is read whole before it is used, and pages are
// the way to read a long list in these formats. Costs: a second way to read a list.
//
// Chose: the request timeout is for the whole response. Because: a slow client would otherwise keep
// a connection of the database, and an old snapshot. Costs: a list that takes longer has to be read
// in pages or by ranges. Such a response ends without its last chunk, so that no client takes it for
// the whole list.
const allParameter = "all"

// A response with all=1 ends if its client takes less than exportPart within exportPause: the list holds a connection of the
// database meanwhile.
const (
	exportPart  = 16 << 10
	exportPause = 5 * time.Second
)

func (c *call) asksForExport(p *params) bool {
	if !p.flag(allParameter) {
		return false
	}
	if c.format != csvFormat {
		p.reject(allParameter, "is only for CSV: add _format=csv, or read the list in pages")
	}
	for _, name := range []string{"page", "per_page", "cursor"} {
		if lastOf(p.query, name) != "" {
			p.reject(name, "cannot be combined with "+allParameter)
		}
	}
	return true
}

// export is a list that is sent whole.
type export struct {
	readmodel.Export
	end func()
}

// exporter is who has an export. The sums of a page are one of their own.
type exporter struct {
	ports.Caller
	isBeside bool
}

// export opens the whole list and reads its first rows. A caller has one export at a time.
func (r endpoint[F]) export(c *call, q readmodel.Query[F]) (*response, error) {
	running, caller := &c.limits.exporting, exporter{c.caller, c.isBeside}
	if _, isRunning := running.LoadOrStore(caller, true); isRunning {
		return nil, fault.New(fault.Throttled, "another list with all=1 is being sent to this caller: wait for its end")
	}
	opened, err := r.reader.Export(c, q)
	if err != nil {
		running.Delete(caller)
		return nil, err
	}
	e := &export{opened, func() {
		opened.Close(c)
		running.Delete(caller)
	}}
	rows, err := e.Next(c)
	if err != nil {
		e.end() // the request may be repeated on another server
		return nil, err
	}
	return &response{rows: rows, selection: q.Select, isList: true, export: e}, nil
}

// stream sends the rows of an export as CSV. After an error the connection is closed
// before the end of the response.
func (api *API) stream(g *gin.Context, c *call, a *response) {
	defer a.export.end()
	h := g.Writer.Header()
	h["Vary"] = api.vary()
	h.Set("Content-Type", contentTypeCSV)
	h.Set("Content-Disposition", c.fileName())
	g.Status(http.StatusOK)
	if c.http.Method == http.MethodHead {
		g.Writer.WriteHeaderNow()
		return
	}
	var buffer bytes.Buffer
	lines := encode.CSV{Buffer: &buffer}
	lines.Header(a.selection)
	rows := a.rows
	for {
		if rows != nil {
			lines.Lines(rows, a.selection)
			rows.Release()
		}
		err := writeInTime(g, c, buffer.Bytes())
		if buffer.Reset(); err == nil && rows != nil {
			rows, err = a.export.Next(c)
		}
		if err != nil {
			writerOf(g).failed(g.Request.Context(), err)
			panic(http.ErrAbortHandler)
		}
		if rows == nil {
			return
		}
		c.observed.Rows += rows.Len()
	}
}

// writeInTime writes a part of an export, if the client takes it. What is sent after the last part has the same time.
func writeInTime(g *gin.Context, c *call, data []byte) error {
	control := http.NewResponseController(writerOf(g).ResponseWriter)
	for {
		if err := control.SetWriteDeadline(time.Now().Add(exportPause)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		if len(data) == 0 {
			return nil
		}
		if err := c.Err(); err != nil {
			return err
		}
		n, err := g.Writer.Write(data[:min(exportPart, len(data))])
		if err != nil {
			return err
		}
		data = data[n:]
	}
}

func csvOf(a *response, buffer *bytes.Buffer) []byte {
	lines := encode.CSV{Buffer: buffer}
	lines.Header(a.selection)
	lines.Lines(a.rows, a.selection)
	return buffer.Bytes()
}

// fileName is the header for the file as which a browser saves a list: deal-history.csv.
func (c *call) fileName() string {
	name := strings.NewReplacer("/rest/", "", "/:id/", "-", "/", "-").Replace(c.route.path)
	return `attachment; filename="` + name + `.csv"`
}
