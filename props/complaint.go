package props

import "strings"

// complaint splits the text of a failure. line is a summary in one line, and detail
// is the remaining text. For a testify message, which is a table that begins with a
// stack, line contains the user's message and the error. For any other text, line is
// the first line.
func complaint(text string) (line, detail string) {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	if strings.HasPrefix(strings.TrimSpace(lines[0]), "Error Trace:") {
		return testifyComplaint(lines)
	}
	return lines[0], indent(lines[1:])
}

// testifyComplaint splits a testify message into a line and its details. For the
// following message, the line is "stored: Not equal: expected: 1, actual: 2".
//
//	Error Trace:	/home/…/writer_test.go:31
//	Error:      	Not equal:
//	            	expected: 1
//	            	actual  : 2
//	Test:       	TestWriter
//	Messages:   	stored
func testifyComplaint(lines []string) (line, detail string) {
	fields := map[string][]string{}
	var field string
	for _, l := range lines {
		if name, rest, ok := strings.Cut(strings.TrimSpace(l), ":"); ok && strings.HasPrefix(l, "\t") && !strings.HasPrefix(l, "\t ") {
			field = name
			fields[field] = append(fields[field], strings.TrimSpace(rest))
			continue
		}
		_, rest, _ := strings.Cut(strings.TrimPrefix(l, "\t"), "\t")
		fields[field] = append(fields[field], strings.TrimRight(rest, " "))
	}
	line, detail = testifyError(fields["Error"])
	if said := strings.Join(fields["Messages"], " "); said != "" {
		line = said + ": " + line
	}
	return line, detail
}

// testifyError splits the lines of testify's Error field into the first line and the
// remaining lines. If the first line ends in a colon, it also gets the lines expected
// and actual.
func testifyError(lines []string) (line, detail string) {
	if len(lines) == 0 {
		return "failed", ""
	}
	line, lines = lines[0], lines[1:]
	if strings.HasSuffix(line, ":") {
		sep := " "
		for len(lines) > 0 && strings.TrimSpace(lines[0]) != "" {
			line += sep + strings.ReplaceAll(lines[0], "  :", ":")
			lines, sep = lines[1:], ", "
		}
	}
	return line, indent(lines)
}

// indent puts four spaces before each line and drops blank lines at both ends.
func indent(lines []string) string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return ""
	}
	return "    " + strings.Join(lines, "\n    ")
}
