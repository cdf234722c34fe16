package load

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

func TestQuantilesAreOfTheNearestRank(t *testing.T) {
	var values []int
	for n := range 100 {
		values = append(values, n+1)
	}
	for q, want := range map[float64]int{0: 1, 0.005: 1, 0.5: 50, 0.99: 99, 0.991: 100, 1: 100} {
		if got := quantile(values, q); got != want {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
	if got := quantile([]int{7}, 0.99); got != 7 {
		t.Errorf("of one value it is %d", got)
	}
	if got := []float64{median(nil), median([]float64{3, 1, 2}), median([]float64{4, 1, 3, 2})}; !slices.Equal(got, []float64{0, 2, 2.5}) {
		t.Errorf("medians are %v", got)
	}
}

// A machine that grows slower from round to round does not spoil a ratio of neighbours.
func TestRatiosAreOfNeighbours(t *testing.T) {
	rates := func(each ...int) (samples []Sample) {
		for _, n := range each {
			samples = append(samples, Sample{Requests: n, Seconds: 1})
		}
		return samples
	}
	below, first, second := rates(1000, 100, 10), rates(800, 80, 8), rates(600, 60, 6)
	if got := paired(Sample.Rate, below, first, second); got < 0.699 || got > 0.701 {
		t.Errorf("the ratio is %v, want 0.7", got)
	}
	if got := paired(Sample.Rate, below, nil); got != 0 {
		t.Errorf("without rounds it is %v", got)
	}
	if got := mid(rates(1, 2, 30)).Rate(); got != 2 {
		t.Errorf("the median rate is %v", got)
	}
}

func TestUsageIsReadFromProc(t *testing.T) {
	stat := "42 (a) b) S 7 1 1 0 -1 0 0 0 0 0 150 50 30 20 20 0 9 0 0 0 0"
	own, children, parent, err := cpuOf([]byte(stat))
	if err != nil || own != 2*time.Second || children != 500*time.Millisecond || parent != 7 {
		t.Errorf("%v, %v, %d, %v", own, children, parent, err)
	}
	if _, _, _, err := cpuOf([]byte("42 (a) S 7")); err == nil {
		t.Error("half a line is read")
	}
	if got := residentIn("Name:\tx\nVmRSS:\t   2048 kB\nThreads:\t3\n"); got != 2<<20 {
		t.Errorf("%d bytes", got)
	}
}

func TestHeadsOfAnswersAreRead(t *testing.T) {
	for text, want := range map[string][2]int{
		"HTTP/1.1 200 OK\r\nContent-Length: 12\r\nX: y\r\n\r\n": {200, 12},
		"HTTP/1.1 503 No\r\ncontent-length:0\r\n\r\n":           {503, 0},
	} {
		status, length, err := readHead(bufio.NewReader(strings.NewReader(text)))
		if err != nil || [2]int{status, length} != want {
			t.Errorf("%q: %d, %d, %v", text, status, length, err)
		}
	}
	for _, text := range []string{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "\r\n", "HTTP/1.1 abc\r\n\r\n"} {
		if _, _, err := readHead(bufio.NewReader(strings.NewReader(text))); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func TestThePlotIsAPicture(t *testing.T) {
	lines := []Line{
		{Name: "fast & flat", Points: []Point{{10_000, 0.5}, {1_000_000, 0.5}}},
		{Name: "slow", Points: []Point{{10_000, 1}, {100_000, 10}, {1_000_000, 100}}},
	}
	var b strings.Builder
	if err := Plot(&b, "time <of> a request", lines); err != nil {
		t.Fatal(err)
	}
	picture := b.String()
	decoder := xml.NewDecoder(strings.NewReader(picture))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, picture)
		}
	}
	// The axes go from 10,000 to 1,000,000 and from 0.1 to 100: the middles of the decades.
	for _, want := range []string{
		`points="60.0,280.0 320.0,160.0 580.0,40.0"`, "fast &amp; flat", "time &lt;of&gt; a request", ">1000000<", ">0.1<",
	} {
		if !strings.Contains(picture, want) {
			t.Errorf("%s is missing in\n%s", want, picture)
		}
	}
	if strings.Index(picture, ">slow<") > strings.Index(picture, ">fast &amp; flat<") {
		t.Error("the names do not stand in the order of the lines' ends")
	}
	if err := Plot(io.Discard, "", nil); err == nil {
		t.Error("nothing is drawn")
	}
}

func TestGoalsNameWhatMissesThem(t *testing.T) {
	r := &Report{
		Floor: []Comparison{
			{Kind: "good", Connections: 16, Rate: 0.7, CPU: 1.4},
			{Kind: "bad", Connections: 16, Rate: 0.69, CPU: 1.41},
			{Kind: "write", Connections: 16, Rate: 0.1, CPU: 9, IsWrite: true, Kontor: Sample{Memory: 200 << 20}},
		},
		Growth:   []Growth{{Kind: "flat", Latency: 1.5, Rate: 1}, {Kind: "cold", Latency: 50, Rate: 50, Cold: true}},
		Plain:    []Comparison{{Kind: "client-create", Rate: 0.59}, {Kind: "invoice-create", Rate: 0.5}},
		Widening: []Widening{{Kind: "client-create", Ratio: 0.89}},
		Restart:  &Restart{First: 199, Ready: 301, Size: 39},
	}
	var b strings.Builder
	r.WriteGoals(&b)
	for _, want := range []string{
		"MISSED: requests in a second over the floor's, reads, at least 0.70: bad/16 0.69\n",
		"MISSED: CPU of a request over the floor's, reads, at most 1.40: bad/16 1.41\n",
		"reached: growth of the time over one connection, at most 1.50\n",
		"MISSED: creating a client, over the same without read models, at least 0.60: client-create 0.59\n",
		"reached: creating an invoice, over the same without read models, at least 0.45\n",
		"MISSED: 16 writers over 4, at least 0.90: client-create 0.89\n",
		"MISSED: memory of the service in MB, at most 100.00: write/16 200.00\n",
		"reached: the first list after a restart in ms, at most 200.00\n",
		"MISSED: ready after a start in ms, at most 300.00: kontor 301.00\n",
		"reached: size of the program in MB, at most 40.00\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

func TestPgbenchIsToldTheSame(t *testing.T) {
	for _, c := range []struct {
		value  string
		oid    uint32
		format int16
		want   string
	}{
		{"\x00\x00\x00\x00\x00\x00\x01\x00", pgtype.Int8OID, 1, "256"},
		{"\xff\xff\xff\xff", pgtype.Int4OID, 1, "-1"},
		{"\x00\x03", pgtype.Int2OID, 1, "3"},
		{"%tech%", pgtype.TextOID, 1, "%tech%"},
		{"17", pgtype.Int8OID, 0, "17"},
		{"\x00\x00\x00\x00\x00\x0f\x42\x40", pgtype.TimestampOID, 1, "2000-01-01 00:00:01"},
	} {
		if got, ok := textOf([]byte(c.value), c.oid, c.format); !ok || got != c.want {
			t.Errorf("%q is %q, %t, want %q", c.value, got, ok, c.want)
		}
	}
	if text, ok := textOf([]byte{1, 2, 3}, pgtype.NumericOID, 1); ok {
		t.Errorf("an unknown form is %q", text)
	}
	if rate, err := rateIn("latency average = 1 ms\ntps = 1234.5 (without initial connection time)\n"); err != nil || rate != 1234.5 {
		t.Errorf("the rate is %v, %v", rate, err)
	}
	if got := optionsOf(map[string]string{"user": "u", "timezone": "UTC", "datestyle": "ISO, YMD"}); got != `-c datestyle=ISO,\ YMD -c timezone=UTC` {
		t.Errorf("the options are %s", got)
	}
}
