package performer

// IsPlainPNG reports whether a PNG is stored as it is.
var IsPlainPNG = isPlainPNG

// Orientation returns how the camera was held, by the EXIF data of a JPEG.
var Orientation = orientation
