package position

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// Encoding encodes positions as texts that are opaque to clients. The zero value encodes those of
// the default company.
//
// Chose to encrypt the positions of other companies, because companies share the write-ahead log:
// the difference of two positions is what all of them have written in between. The ciphertext of
// one block says nothing but whether two positions are equal. Costs a key for each company.
type Encoding struct {
	block cipher.Block // nil: positions are not encrypted
}

// Secret is the key of a company, the same one in all instances.
type Secret [16]byte

// String hides the key in messages.
func (Secret) String() string { return "(secret)" }

// Encrypted returns the encoding with the key of a company.
func Encrypted(key Secret) Encoding {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the size of the key is a valid one
	}
	return Encoding{block}
}

// An encoded position consists of the system identifier and of a block: the timeline, the position
// in the log, and the last bytes of the system identifier again, by which a block of another key is
// recognized.
const (
	systemSize  = 8
	encodedSize = systemSize + aes.BlockSize
	checkSize   = 4
	check       = encodedSize - checkSize
)

var (
	encoding = base64.RawURLEncoding.Strict()
	errText  = errors.New("it is not a position of this service")
)

// Encode returns the text of a position.
func (e Encoding) Encode(p Position) string {
	var b [encodedSize]byte
	binary.BigEndian.PutUint64(b[:], uint64(p.System))
	binary.BigEndian.PutUint32(b[systemSize:], p.Timeline)
	binary.BigEndian.PutUint64(b[systemSize+4:], p.WAL)
	copy(b[check:], b[systemSize-checkSize:systemSize])
	if e.block != nil {
		e.block.Encrypt(b[systemSize:], b[systemSize:])
	}
	return encoding.EncodeToString(b[:])
}

// Decode returns the position of a text that Encode has returned with the same key.
func (e Encoding) Decode(text string) (Position, error) {
	b, err := encoding.DecodeString(text)
	if err != nil || len(b) != encodedSize {
		return Position{}, errText
	}
	if e.block != nil {
		e.block.Decrypt(b[systemSize:], b[systemSize:])
	}
	p := Position{
		System:   int64(binary.BigEndian.Uint64(b)),
		Timeline: binary.BigEndian.Uint32(b[systemSize:]),
		WAL:      binary.BigEndian.Uint64(b[systemSize+4:]),
	}
	isIntact := bytes.Equal(b[check:], b[systemSize-checkSize:systemSize])
	if !isIntact || p.System == 0 || p.Timeline == 0 {
		return Position{}, errText
	}
	return p, nil
}
