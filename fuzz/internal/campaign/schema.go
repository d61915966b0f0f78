package campaign

import _ "embed"

//go:embed event.schema.json
var eventSchema string

// EventSchema returns the JSON Schema of an Event as JSON.
func EventSchema() string { return eventSchema }
