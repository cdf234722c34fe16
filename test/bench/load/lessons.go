package load

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/bench/floor"
)

// learn sees the requests of a kind, and settles its addresses. With a floor to come it also writes
// scripts.
func (w *watcher) learn(ctx context.Context, k *Kind) error {
	if err := w.settleAddresses(ctx, k); err != nil {
		return err
	}
	switch k.way {
	case anew:
		return w.learnWords(ctx, k)
	case created:
		for _, body := range k.bodies {
			if err := w.learnCreation(ctx, k, body); err != nil {
				return err
			}
		}
		return nil
	case turns:
		for _, uri := range k.uris {
			if err := w.learnTurns(ctx, k, uri); err != nil {
				return err
			}
		}
		return nil
	}
	for _, uri := range k.uris {
		s, err := w.settled(ctx, Request{Method: "GET", URI: uri})
		if err != nil {
			return err
		}
		if err := w.book.learn(k, s, nil); err != nil {
			return err
		}
		w.single[k.Name] = s.single()
	}
	return nil
}

// shape is that of the kind's answers.
func (k *Kind) shape() (*readmodel.Selection, error) {
	ask := k.ask
	ask.Record = k.isRecord
	return k.table.Select(ask)
}

// settleAddresses finds out which page is the last or in the middle, and follows links from there.
func (w *watcher) settleAddresses(ctx context.Context, k *Kind) error {
	place, asked := strings.CutPrefix(strings.TrimPrefix(k.uris[0], clientList), "?page=")
	if !asked || place != "last" && place != "middle" {
		return nil
	}
	header, _, err := w.send(ctx, Request{Method: "GET", URI: clientList})
	if err != nil {
		return err
	}
	first := pageOf(header)
	if place == "last" {
		i := slices.IndexFunc(first.Links, func(l floor.Link) bool { return l.Rel == "last" })
		k.uris = []string{first.Links[i].URI}
		return nil
	}
	pages, err := strconv.Atoi(first.Pages)
	if err != nil {
		return err
	}
	uri := clientList + "?page=" + strconv.Itoa(max(pages/2, 1))
	k.uris = nil
	for len(k.uris) < k.follow && uri != "" {
		k.uris = append(k.uris, uri)
		if header, _, err = w.send(ctx, Request{Method: "GET", URI: uri}); err != nil {
			return err
		}
		uri = ""
		for _, l := range pageOf(header).Links {
			if l.Rel == "next" {
				uri = l.URI
			}
		}
	}
	return nil
}

// learnWords sees every common word, as each may be served in a way of its own, and of rare words a
// few, which must all be served alike.
func (w *watcher) learnWords(ctx context.Context, k *Kind) error {
	if k.atRest {
		for _, word := range k.words {
			s, err := w.see(ctx, Request{Method: "GET", URI: k.uris[0] + url.QueryEscape(word)}, "")
			if err != nil {
				return err
			}
			if err := w.book.learn(k, s, nil); err != nil {
				return err
			}
		}
		return nil
	}
	const samples = 12
	if len(k.words) < 2*samples {
		return errors.New("the names hold too few rare words")
	}
	var all []*seen
	for _, word := range k.words[len(k.words)-samples:] {
		s, err := w.see(ctx, Request{Method: "GET", URI: k.uris[0] + url.QueryEscape(word)}, word)
		if err != nil {
			return err
		}
		s.request.URI = k.uris[0] + word // as a template's
		all = append(all, s)
	}
	k.words = k.words[:len(k.words)-samples]
	half := all[samples/2:] // the statements are prepared by then
	var failures []error
	for i, s := range half[1:] {
		err := w.book.learn(k, s, half[i])
		if err == nil {
			return nil
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

func (w *watcher) learnCreation(ctx context.Context, k *Kind, body string) error {
	var pair [2]*seen
	for try := range 6 {
		word := freshWord()
		s, err := w.see(ctx, Request{Method: k.method, URI: k.uris[0], Body: fmt.Sprintf(body, word)}, word)
		if err != nil {
			return err
		}
		pair[0], pair[1] = pair[1], s
		if try > 0 && pair[0].sequence() == s.sequence() {
			return w.book.learn(k, s, pair[0])
		}
	}
	return fmt.Errorf("%s: served in another way each time", k.Name)
}

// learnTurns sees a record changed to and fro until both ways are what they were the time before. It
// ends with the state that the turns begin with.
func (w *watcher) learnTurns(ctx context.Context, k *Kind, uri string) error {
	var all []*seen
	for try := range 11 {
		s, err := w.see(ctx, Request{Method: k.method, URI: uri, Body: k.bodies[try%2]}, "")
		if err != nil {
			return err
		}
		all = append(all, s)
		if try < 4 || try%2 == 1 || s.sequence() != all[try-2].sequence() || all[try-1].sequence() != all[try-3].sequence() {
			continue
		}
		return errors.Join(w.book.learn(k, all[try-1], nil), w.book.learn(k, s, nil))
	}
	return fmt.Errorf("%s %s is served in another way each time", k.method, uri)
}
