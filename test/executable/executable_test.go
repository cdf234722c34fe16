package executable_test

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/kontor-crm/kontor/test/executable"
)

// Some programs are written while others are started.
func TestExecutableRunsWhileOtherProcessesStart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 20 {
				path := filepath.Join(folder, strconv.Itoa(worker)+"-"+strconv.Itoa(i))
				if err := executable.Write(path, []byte("#!/bin/sh\necho started\n")); err != nil {
					t.Error(err)
				}
				if out, err := exec.CommandContext(t.Context(), path).CombinedOutput(); err != nil || string(out) != "started\n" {
					t.Errorf("%s, %v", out, err)
				}
			}
		})
	}
	all.Wait()
}
