//go:build !full

package pgread_test

import "time"

// duration is how long writers write. Those of make ci-full write longer.
const duration = time.Second
