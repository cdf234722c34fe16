// Package packaging tests what is shipped besides the program: the systemd unit, the
// image and compose.yaml. Under the build tag full, which needs Docker, systemd's tools
// and minutes, it tests that the program is one small static file, that a release is
// reproducible, and that the image runs without privileges.
package packaging
