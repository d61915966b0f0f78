package corpus

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// folderName returns the name of the folder for a property or test. Different names
// give different folders, and every file system and version control accepts the
// result. A slash, as in the name of a subtest, becomes a dot. Letters, digits and a
// few harmless signs stay; other bytes become a percent sign and two digits. A long
// name is cut and gets a hash of the whole.
//
// On file systems that ignore case, two properties whose names differ only in case
// share a folder. Load then returns the cases of the other one as problems.
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
	shortest   = 6 // digits of each half of a file's name
	besideTest = "testdata/jostle"
)
