package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Options say what is measured and how long.
type Options struct {
	Program     string   // Kontor
	Sites       []string // label=place, the smallest first; the last is the one that is compared on
	Kinds       []string // none: all
	Connections []int
	Rounds      int
	Duration    time.Duration     // of a round
	Hold        time.Duration     // how long the part snapshot keeps one
	Window      time.Duration     // how long it measures before, at the end of this, and after
	Settings    map[string]string // of a PostgreSQL that is started
	Parts       map[string]bool   // see Parts
	Out         io.Writer         // for people
}

// Parts are what a run consists of.
var Parts = []string{"floor", "growth", "restart", "snapshot", "writes"}

// Pgbench is a part of the floor's that is left out unless it is asked for.
const Pgbench = "pgbench"

// bench is a run.
type bench struct {
	Options

	sites   []*Site
	kontors []*Process
	streams map[streamKey]*stream
	states  map[string]*state
	report  *Report
}

type streamKey struct {
	server string // or the site's label, for Kontor
	kind   string
}

// Run measures, prints tables as it goes, and gives all figures.
func Run(ctx context.Context, o Options) (report *Report, err error) {
	b := &bench{Options: o, streams: map[streamKey]*stream{}, states: map[string]*state{}, report: newReport(o)}
	defer func() { err = errors.Join(err, b.close()) }()
	for _, named := range o.Sites {
		label, place := cutLabel(named)
		b.say("%s: preparing %s", label, place)
		site, err := OpenSite(ctx, label, place, o.Settings)
		if err != nil {
			return nil, err
		}
		b.sites = append(b.sites, site)
		settings, err := site.Settings(ctx)
		if err != nil {
			return nil, err
		}
		b.report.Sites = append(b.report.Sites, SiteReport{Label: label, Clients: site.Clients, Settings: settings})
	}
	b.report.writeSettings(o.Out)
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"floor", b.compareReads}, {"growth", b.growth}, {"restart", b.restarts},
		{"snapshot", b.holdSnapshot}, {"writes", b.compareWrites},
	} {
		if !o.Parts[part.name] {
			continue
		}
		if err := part.run(ctx); err != nil {
			return b.report, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return b.report, nil
}

func (b *bench) close() (err error) {
	for _, p := range b.kontors {
		if p != nil {
			err = errors.Join(err, p.Stop())
		}
	}
	for _, s := range b.sites {
		err = errors.Join(err, s.Close())
	}
	return err
}

func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.Out, format+"\n", args...) }

// big is the site that is compared on.
func (b *bench) big() *Site { return b.sites[len(b.sites)-1] }

// kontor is the service on a site, which is started when it is first asked for.
func (b *bench) kontor(ctx context.Context, site int) (*Process, error) {
	if b.kontors == nil {
		b.kontors = make([]*Process, len(b.sites))
	}
	if b.kontors[site] != nil {
		return b.kontors[site], nil
	}
	p, err := Kontor(ctx, b.Program, b.sites[site].URL)
	if err != nil {
		return nil, err
	}
	b.kontors[site] = p
	return p, b.sites[site].waitReady(ctx, 10*time.Minute)
}

// retire stops the service on the big site, and so all that it has cached is gone.
func (b *bench) retire() error {
	last := len(b.sites) - 1
	if len(b.kontors) <= last || b.kontors[last] == nil {
		return nil
	}
	p := b.kontors[last]
	b.kontors[last] = nil
	return p.Stop()
}

// stream is what a server is asked, across rounds.
func (b *bench) stream(server string, k *Kind) *stream {
	key := streamKey{server, k.Name}
	if b.streams[key] == nil {
		b.streams[key] = &stream{kind: k}
	}
	return b.streams[key]
}

// state is that of the records of a kind that are changed to and fro.
func (b *bench) state(k *Kind) *state {
	if b.states[k.Name] == nil {
		b.states[k.Name] = &state{turn: make([]int, max(len(k.uris), 1))}
	}
	return b.states[k.Name]
}

// growthRounds is how many rounds the growth is measured in, of each sort.
func (b *bench) growthRounds() int { return max(b.Rounds*3/5, 1) }

// measure is one round.
func (b *bench) measure(ctx context.Context, p *Process, server string, site *Site, k *Kind, connections int, d time.Duration) (Sample, error) {
	s := b.stream(server, k)
	if k.way == anew {
		planned := 3*b.Rounds + 3*(b.growthRounds()+1)
		s.budget(len(k.words) / planned)
	}
	sample, err := round(ctx, p, site.Token, site.postmaster, connections, d, s.source(b.state(k)))
	if err != nil {
		return sample, fmt.Errorf("%s on %s: %w", k.Name, server, err)
	}
	return sample, nil
}

// startFloor starts the floor with what was learnt.
func startFloor(ctx context.Context, w *watcher) (*Process, func() error, error) {
	file, err := w.file()
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(file)
	if err != nil {
		return nil, nil, err
	}
	folder, err := os.MkdirTemp("", "kontor-floor-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	path := filepath.Join(folder, "scripts.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	p, err := itself(ctx, "floor", "-file", path, "-database", w.site.URL)
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return p, func() error { return errors.Join(p.Stop(), remove()) }, nil
}
