// Package browser tests the pages of the service in Chromium.
//
// Its tests have the build tag full, because they need Chromium. They save screenshots in
// the folder of KONTOR_TEST_SCREENSHOTS, else in the artifact folder of the test.
package browser
