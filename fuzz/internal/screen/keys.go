package screen

import "unicode/utf8"

// Keys turns the keys of a terminal into commands. The zero value is ready.
type Keys struct {
	typed  []byte // the typed part of a command that ends with Enter
	typing bool   // set while a command that ends with Enter is typed
	escape []byte // the bytes so far of a key that sends several bytes, nil if no such key was begun
}

// Typed returns the typed part of a command that ends with Enter, "" if there is none.
func (k *Keys) Typed() string { return string(k.typed) }

// Idle reports whether no key and no command is partly typed.
func (k *Keys) Idle() bool { return k.escape == nil && !k.typing }

// The bytes that keys send.
const ctrlC, ctrlD, backspace, enter, newline, escape, del = 3, 4, 8, '\r', '\n', 27, 127

// The maximum length of a typed command, and the maximum number of bytes that one key sends.
const mostTyped, mostSent = 200, 8

// sequences maps the bytes that a key sends after the escape byte to the command of the key.
var sequences = map[string]string{"[A": "p", "[B": "n", "[C": "n", "[D": "p", "[H": "s", "[F": "e", "OA": "p", "OB": "n", "OC": "n", "OD": "p", "OH": "s", "OF": "e"}

// Take processes the next byte from the terminal. If the byte completes a command, Take returns the
// command and true.
func (k *Keys) Take(b byte) (command string, complete bool) {
	switch {
	case b == ctrlC || b == ctrlD:
		return "q", true
	case k.escape != nil:
		return k.takeEscape(b)
	case b == escape:
		k.escape, k.typed, k.typing = []byte{}, nil, false
		return "", false
	case k.typing:
		return k.takeTyped(b)
	case b == ':' || b >= '0' && b <= '9':
		if k.typing = true; b != ':' {
			k.typed = append(k.typed, b)
		}
		return "", false
	case b == enter || b == newline || b == ' ':
		return "n", true
	case b < ' ' || b >= del:
		return "", false
	}
	return string(rune(b)), true
}

// takeEscape processes the next byte of a key that sends several bytes.
func (k *Keys) takeEscape(b byte) (string, bool) {
	if len(k.escape) < mostSent { // no known key sends more bytes
		k.escape = append(k.escape, b)
	}
	if first := k.escape[0]; len(k.escape) == 1 && (first == '[' || first == 'O') || first == '[' && b >= ' ' && b < '@' {
		return "", false
	}
	command, known := sequences[string(k.escape)]
	k.escape = nil
	return command, known
}

// takeTyped processes the next byte of a command that ends with Enter.
func (k *Keys) takeTyped(b byte) (string, bool) {
	switch {
	case b == enter || b == newline:
		command := string(k.typed)
		k.typed, k.typing = nil, false
		return command, command != ""
	case b == backspace || b == del:
		_, size := utf8.DecodeLastRune(k.typed)
		k.typed = k.typed[:len(k.typed)-size]
		k.typing = len(k.typed) > 0
	case b >= ' ' && len(k.typed) < mostTyped:
		k.typed = append(k.typed, b)
	}
	return "", false
}
