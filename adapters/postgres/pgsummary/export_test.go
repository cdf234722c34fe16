package pgsummary

import "time"

// RetryAfter sets the pause of the worker after an error.
func (w *Worker) RetryAfter(pause time.Duration) { w.retryAfter = pause }
