//go:build full

package replicas_test

import "testing"

// contract 13.4, 13.9, 13.13
func TestManyCallersNeverSeeOlderStatesThanBefore(t *testing.T) {
	faultsUnderLoad(t, 16, 500)
}

// contract 13.35, 13.36
func TestFailoverUnderHighLoadLosesNoAcknowledgedWrite(t *testing.T) {
	failover(t, 16, 500)
}
