package campaign

import _ "embed"

//go:embed event.schema.json
var eventSchema string

// EventSchema returns the JSON Schema of Event.
func EventSchema() string { return eventSchema }
