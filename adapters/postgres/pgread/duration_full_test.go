//go:build full

package pgread_test

import "time"

// duration is how long writers write.
const duration = 20 * time.Second
