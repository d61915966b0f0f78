package golden

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// A Schema is the part of JSON Schema that our schemas use. NewSchema refuses all else.
type Schema struct {
	Schema      string             `json:"$schema"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Type        string             `json:"type"`
	Required    []string           `json:"required"`
	Additional  *bool              `json:"additionalProperties"`
	Properties  map[string]*Schema `json:"properties"`
	Enum        []any              `json:"enum"`
	Minimum     *float64           `json:"minimum"`
	Pattern     string             `json:"pattern"`
	Items       *Schema            `json:"items"`
	MinItems    int                `json:"minItems"`
	MaxItems    *int               `json:"maxItems"`
	Ref         string             `json:"$ref"` // "#/$defs/" and a name in Defs of the whole schema
	Defs        map[string]*Schema `json:"$defs"`

	root *Schema
}

// NewSchema reads a schema.
func NewSchema(text string) (*Schema, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	s := &Schema{}
	err := d.Decode(s)
	s.root = s
	return s, err
}

// Check returns an error unless text is JSON that obeys the schema.
func (s *Schema) Check(text []byte) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	return s.CheckValue(v)
}

// CheckValue returns an error unless v, a value as package json decodes it, obeys the schema.
func (s *Schema) CheckValue(v any) error { return errors.Join(s.check(s.root, "", v)...) }

// check returns what a value has that the schema does not allow.
func (s *Schema) check(root *Schema, at string, v any) (problems []error) {
	complain := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf(at+": "+format, args...))
	}
	if s.Ref != "" {
		of := root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
		if of == nil {
			return []error{fmt.Errorf("%s: the schema has no %s", at, s.Ref)}
		}
		return of.check(root, at, v)
	}
	is := map[string]bool{"": true}
	switch v := v.(type) {
	case string:
		if is["string"] = true; !regexp.MustCompile(s.Pattern).MatchString(v) {
			complain("%q does not match %s", v, s.Pattern)
		}
	case bool:
		is["boolean"] = true
	case float64:
		is["number"], is["integer"] = true, v == math.Trunc(v)
		if s.Minimum != nil && v < *s.Minimum {
			complain("%v is below %v", v, *s.Minimum)
		}
	case []any:
		is["array"] = true
		if len(v) < s.MinItems || s.MaxItems != nil && len(v) > *s.MaxItems {
			complain("there are %d items", len(v))
		}
		for i, item := range v {
			if s.Items != nil {
				problems = append(problems, s.Items.check(root, fmt.Sprintf("%s[%d]", at, i), item)...)
			}
		}
	case map[string]any:
		is["object"] = true
		for _, name := range s.Required {
			if _, has := v[name]; !has {
				complain("%s is missing", name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if p := s.Properties[name]; p != nil {
				problems = append(problems, p.check(root, at+"."+name, v[name])...)
			} else if s.Additional != nil && !*s.Additional {
				complain("%s is not described", name)
			}
		}
	}
	if !is[s.Type] {
		complain("%v is no %s", v, s.Type)
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		complain("%v is none of %v", v, s.Enum)
	}
	return problems
}
