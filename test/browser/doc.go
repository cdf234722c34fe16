// Package browser tests the page of the service in Chromium.
//
// Its test has the build tag full, because it needs Chromium.
package browser
