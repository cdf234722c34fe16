package linearizability

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"
)

const later = 20 * time.Millisecond

// contract 3.15
func TestDealNeverOutlivesItsClient(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.create("status", fields{"name": "New", "color": "#1e90ff", "default": true})
	won := map[string]int{}
	for n := range 60 {
		client := s.create("client", fields{"type": 1, "name": "Client " + strconv.Itoa(n)})
		path := "/rest/client/" + strconv.FormatInt(client, 10)
		var deal, gone int
		var both sync.WaitGroup
		// A random delay of one of them lets each win sometimes.
		lag := [][2]time.Duration{{}, {later, 0}, {0, later}}[n%3]
		both.Go(func() {
			time.Sleep(lag[0])
			deal, _, _, _ = s.send(http.MethodPost, "/rest/deal", 0, fields{"name": "Deal", "client_id": client})
		})
		both.Go(func() {
			time.Sleep(lag[1])
			gone, _, _, _ = s.send(http.MethodDelete, path, 0, nil)
		})
		both.Wait()
		_, _, list, err := s.send(http.MethodGet, fmt.Sprintf("/rest/deal?client_id=%d&fields=id", client), 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		there, _, _, _ := s.send(http.MethodGet, path, 0, nil)
		isEmpty := string(list) == `{"response":{"items":[]}}`
		switch {
		case deal == http.StatusOK && gone == http.StatusConflict && there == http.StatusOK && !isEmpty:
			won["deal"]++
		case deal == http.StatusUnprocessableEntity && gone == http.StatusOK && there == http.StatusNotFound && isEmpty:
			won["deletion"]++
		default:
			t.Fatalf("the creation of the deal got %d and the deletion %d; then the client got %d, and its deals are %s", deal, gone, there, list)
		}
	}
	if won["deal"] == 0 || won["deletion"] == 0 {
		t.Errorf("one of them always won: %v", won)
	}
}
