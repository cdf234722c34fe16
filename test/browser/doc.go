// Package browser uses the pages of the service as people do, in Chromium.
//
// Its tests have the build tag full, as they need the program of that name. They
// keep pictures of what they saw in the folder of KONTOR_TEST_SCREENSHOTS, else
// among the artifacts of the test.
package browser
