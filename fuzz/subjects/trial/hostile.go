package trial

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hostile lists texts that control a terminal, or that display as something else.
var hostile = []string{"\x1b]0;title\x07", "\x1b[2J\x1b[H", "\x1b[31m", "\r", "\b\b", "\a", "\v\f", "\x7f", "\u009b31m", "\u0085", "\u202eevil", "\u2066", "\u200b",
	"\u2028", "\ufeff", "\U000e0041", "\xff\x9b2J", "\n", "\t", "'", `"`, "語", "word", "%s"}

// HostileText returns a text with some hostile characters.
func HostileText(random *rand.Rand) string {
	var b strings.Builder
	for range 1 + random.IntN(5) {
		b.WriteString(hostile[random.IntN(len(hostile))])
	}
	return b.String()
}

// Controls returns the text around the first character that controls a terminal, "" if none.
func Controls(text string) string {
	for i, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) || r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return fmt.Sprintf("%q", text[max(0, i-20):min(len(text), i+20)])
		}
	}
	return ""
}
