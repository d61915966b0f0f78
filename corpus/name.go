package corpus

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// folderName returns the name of the folder for a property or test. Different names give
// different folder names. All folder names are valid on every file system. Letters, digits and a
// few punctuation marks do not change. A slash, as in the name of a subtest, becomes a dot. All
// other bytes become a percent sign and two hexadecimal digits. A long name is cut and gets a
// hash of the whole name.
//
// On file systems that ignore case, two properties whose names differ only in case have the same
// folder. Load then returns an error for each case of the other property.
func folderName(test string) string {
	const most = 120
	var b strings.Builder
	for i := range len(test) {
		c := test[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("_-=,+#", c) >= 0:
			b.WriteByte(c)
		case c == '/' && i > 0 && i < len(test)-1:
			b.WriteByte('.')
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	switch name := b.String(); {
	case name == "":
		return "%"
	case len(name) > most:
		return fmt.Sprintf("%s~%x", name[:most], sha256.Sum256([]byte(test)))[:most+1+16]
	default:
		return name
	}
}

const (
	extension  = ".case"
	shortest   = 6 // the minimum number of digits of each half of a file's name
	besideTest = "testdata/jostle"
)
