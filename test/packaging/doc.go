// Package packaging shows that what is shipped besides the program fits it: the unit
// for systemd, the image and compose.yaml; and, under the build tag full, which
// needs Docker, systemd's tools and minutes, that the program is one small static
// file, that a release can be made again to the same bytes, and that the image
// runs shut in.
package packaging
