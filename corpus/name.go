package corpus

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// folderName is a test's name as that of a folder: different for different
// tests, and one that every file system and version control takes. The slash
// of a subtest is a dot; what is no letter, digit or harmless sign is a
// percent sign and two digits for each byte; what is too long is cut, and a
// hash of the whole is put behind it.
//
// On file systems that take upper and lower case for the same, tests whose
// names differ in nothing else share a folder, and are told so.
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
	shortest   = 6 // digits of a case's name
	besideTest = "testdata/jostle"
)
