package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// beKontor makes the test binary the program itself.
const beKontor = "KONTOR_TEST_BE_KONTOR"

func TestMain(m *testing.M) {
	if os.Getenv(beKontor) != "" {
		Main()
	}
	os.Exit(testprogram.Run(m))
}

// serving runs serve with the handler until stop is called, which gives its
// error.
func serving(t *testing.T, grace time.Duration, handler http.HandlerFunc) (address string, begin context.CancelFunc, stopped <-chan error) {
	t.Helper()
	ctx, begin := context.WithCancel(t.Context())
	addresses, done := make(chan string, 1), make(chan error, 1)
	go func() {
		c := bootstrap.Config{Listen: "127.0.0.1:0", RequestTimeout: time.Minute, ShutdownAfter: grace}
		done <- serve(ctx, c, slog.New(slog.DiscardHandler), &bootstrap.Service{Handler: handler, Shutdown: new(traffic.Shutdown)},
			func(_ context.Context, address string) error { addresses <- address; return nil })
	}()
	select {
	case address = <-addresses:
	case err := <-done:
		t.Fatal(err)
	}
	return address, begin, done
}

// waitClosed waits until no process listens at the address: the service has then
// begun to stop.
func waitClosed(ctx context.Context, address string) error {
	for {
		connection, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if errors.Is(err, syscall.ECONNREFUSED) {
			return nil
		}
		if err == nil {
			connection.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is still open: %w", address, ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
}

func TestShutdownFinishesRequestsInFlight(t *testing.T) { // contract 1.35
	var begin context.CancelFunc
	ready := make(chan struct{})
	address, begin, stopped := serving(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
		<-ready
		begin()
		if err := waitClosed(r.Context(), "http://"+r.Host); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, "finished")
	})
	close(ready)
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || string(body) != "finished" {
		t.Errorf("the answer is %s %q, %v; want 200 finished", response.Status, body, err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("serve ends with %v, want no error", err)
	}
}

func TestShutdownCancelsRequestsAfterTheTimeout(t *testing.T) { // contract 1.19
	started, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	address, begin, stopped := serving(t, 20*time.Millisecond, func(http.ResponseWriter, *http.Request) {
		close(started)
		<-release
	})
	answered := make(chan error, 1)
	go func() {
		response, err := http.Get(address)
		if err == nil {
			response.Body.Close()
		}
		answered <- err
	}()
	<-started
	begin()
	if err := <-stopped; err == nil || !strings.Contains(err.Error(), "still running after 20ms") {
		t.Errorf("serve ends with %v, want an error that says what was cut off", err)
	}
	if err := <-answered; err == nil {
		t.Error("the request was answered, want a broken connection")
	}
}

func TestShutdownAnswersCancelledRequestsCompletely(t *testing.T) { // contract 1.35, 1.19
	started := make(chan struct{})
	address, begin, stopped := serving(t, 20*time.Millisecond, func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-r.Context().Done()
		http.Error(w, context.Cause(r.Context()).Error(), http.StatusServiceUnavailable)
	})
	answered := make(chan string, 1)
	go func() {
		response, err := http.Get(address)
		if err != nil {
			answered <- err.Error()
			return
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		answered <- fmt.Sprint(response.StatusCode, " ", string(body), err)
	}()
	<-started
	begin()
	if answer, want := <-answered, "503 "+traffic.ErrShutdown.Error()+"\n<nil>"; answer != want {
		t.Errorf("the request gets %q, want %q", answer, want)
	}
	if err := <-stopped; err == nil || !strings.Contains(err.Error(), "still running after 20ms") {
		t.Errorf("serve ends with %v, want an error that says what was cut off", err)
	}
}

// process is the program with the arguments.
func process(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.CommandContext(t.Context(), self, arguments...)
	program.Env = append(os.Environ(), beKontor+"=1")
	return program
}

// startKontor runs the program and returns once its log says where it serves.
func startKontor(t *testing.T, arguments ...string) (program *exec.Cmd, address string) {
	t.Helper()
	program = process(t, arguments...)
	address, _ = testprogram.Serve(t, program)
	return program, address
}
