package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// aUser is a row of the list of users with their names only.
func aUser(name string) *readmodel.Rows {
	rows := readmodel.NewRows(2) // with the version
	rows.Append([]byte("1"))
	rows.Append([]byte(name))
	return rows
}

// batches is a list that is exported in these batches.
func batches(names ...string) stubUsers {
	return func(context.Context) (*readmodel.Rows, error) {
		if len(names) == 0 {
			return nil, nil
		}
		name := names[0]
		if names = names[1:]; name == "broken" {
			return nil, errors.New("the connection is broken")
		}
		return aUser(name), nil
	}
}

// serverOf is a service with these users.
func serverOf(t *testing.T, users stubUsers) string {
	t.Helper()
	handler := New(Config{DefaultFormat: AlwaysXML, RequestTimeout: 10 * time.Second}, companyWith(Users(users)),
		func(context.Context) error { return nil }, slog.New(slog.DiscardHandler))
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL + "/rest/user?auth_key=good&fields=name&"
}

func get(t *testing.T, url string) (response *http.Response, body string, err error) {
	t.Helper()
	response, err = http.Get(url)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	return response, string(raw), err
}

// contract 2.52, 2.57
func TestWholeListIsSentAsItIsRead(t *testing.T) {
	for _, c := range []struct {
		users stubUsers
		want  string
	}{{batches("a", "b"), "name\r\n\"a\"\r\n\"b\"\r\n"}, {batches(), "name\r\n"}} {
		response, body, err := get(t, serverOf(t, c.users)+"_format=csv&all=1")
		if err != nil {
			t.Fatal(err)
		}
		if body != c.want || response.Header.Get("Content-Type") != "text/csv; charset=utf-8; header=present" ||
			response.Header.Get("Content-Disposition") != `attachment; filename="user.csv"` || response.Header.Get("Link") != "" {
			t.Errorf("got %q, %v", body, response.Header)
		}
	}
	response, err := http.Head(serverOf(t, batches("a")) + "_format=csv&all=1")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != contentTypeCSV {
		t.Errorf("HEAD: got %v", response)
	}
}

// contract 2.57
func TestWholeListThatBreaksOffIsNotTakenForWhole(t *testing.T) {
	if _, body, err := get(t, serverOf(t, batches("a", "broken"))+"_format=csv&all=1"); err == nil {
		t.Errorf("got %q without an error", body)
	}
	// contract 2.52
	response, body, err := get(t, serverOf(t, batches("broken"))+"_format=csv&all=1")
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusInternalServerError || !strings.HasPrefix(response.Header.Get("Content-Type"), "application/problem+xml") {
		t.Errorf("before the first record: got %d, %v, %q", response.StatusCode, response.Header, body)
	}
}

// contract 2.57
func TestWholeListEndsIfItsClientTakesNothing(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 256<<10)
	list := serverOf(t, func(context.Context) (*readmodel.Rows, error) { return aUser(long), nil }) + "_format=csv&all=1"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, list, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", request.URL.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := request.Write(conn); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		response, err := http.Head(list)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		took := time.Since(start)
		if response.StatusCode == http.StatusOK {
			if took < exportPause-time.Second {
				t.Errorf("the list has ended after %s", took)
			}
			return
		}
		if took > 9*time.Second { // before the timeout of the request
			t.Fatalf("the list has not ended after %s: %d", took, response.StatusCode)
		}
	}
}

// contract 2.58
func TestCallerHasOneWholeListAtATime(t *testing.T) {
	begun, end := make(chan bool, 1), make(chan bool)
	list := serverOf(t, func(context.Context) (*readmodel.Rows, error) {
		begun <- true
		<-end
		return nil, nil
	})
	done := make(chan int)
	send := func() {
		response, _, err := get(t, list+"_format=csv&all=1")
		if err != nil {
			t.Error(err)
			close(done)
			return
		}
		done <- response.StatusCode
	}
	go send()
	<-begun
	response, body, err := get(t, list+"_format=csv&all=1")
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") == "" || !strings.Contains(body, "all=1") {
		t.Errorf("the second got %d, %v, %s", response.StatusCode, response.Header, body)
	}
	end <- true
	if status := <-done; status != 200 {
		t.Errorf("the first got %d", status)
	}
	go send()
	<-begun
	end <- true
	if status := <-done; status != 200 {
		t.Errorf("the third, after the first, got %d", status)
	}
}

// contract 2.52, 2.57
func TestCSVOfOtherThanAListIsRefused(t *testing.T) {
	for query, want := range map[string]int{
		"/7?_format=csv": 406, "?all=1": 400, "?all=1&_format=xml": 400, "?all=2&_format=csv": 400, "?all=0&_format=csv&fields=name": 200,
		"?all=1&page=1&_format=csv": 400, "?all=1&per_page=9&_format=csv": 400, "?all=1&cursor=x&_format=csv": 400, "?_format=csv&sort=nope": 400,
	} {
		w, _ := do(newGet("/rest/user"+query, "Access-Token", "good"), batches("a"))
		if w.Code != want || want != 200 && !isMedia(w.Header().Get("Content-Type"), "application/problem+json") && !strings.Contains(query, "xml") {
			t.Errorf("%s: got %d, %v, %s", query, w.Code, w.Header(), w.Body)
		}
	}
	if w, _ := do(newGet("/rest/user/7", "Access-Token", "good", "Accept", "text/csv"), noRows); w.Code != 406 {
		t.Errorf("a record: got %d", w.Code)
	}
}
