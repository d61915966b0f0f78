package coverage

import (
	"fmt"
	"strings"
)

// Text returns all that people want to know, as tables.
func (o *Orders) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n", o.Count(PR))
	return b.String()
}
