package main

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jostle-go/jostle/fuzz/tool"
)

// serveAgent is a server of the Model Context Protocol on the standard streams.
func serveAgent(ctx context.Context, list []tool.Question, ask func(context.Context, string, []byte) ([]byte, error)) error {
	return newAgentServer(list, ask).Run(ctx, &mcp.StdioTransport{})
}

// newAgentServer returns a server of the Model Context Protocol with a tool for each Question. A call
// of a tool is answered by the function ask.
func newAgentServer(list []tool.Question, ask func(context.Context, string, []byte) ([]byte, error)) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "jostle", Version: tool.Version()}, nil)
	for i := range list {
		q := &list[i]
		server.AddTool(&mcp.Tool{Name: q.Name, Description: q.About, InputSchema: schemaOf(q)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, err := ask(ctx, q.Name, r.Params.Arguments)
			if err != nil {
				answer = []byte(err.Error())
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(answer)}}, IsError: err != nil}, nil
		})
	}
	return server
}

// schemaOf returns the JSON schema of the arguments of a tool.
func schemaOf(q *tool.Question) json.RawMessage {
	type property struct {
		Type        string `json:"type"`
		Description string `json:"description"`
		Default     *int   `json:"default,omitempty"`
		Minimum     *int   `json:"minimum,omitempty"`
		Maximum     *int   `json:"maximum,omitempty"`
	}
	schema := struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required,omitempty"`
		Additional bool                `json:"additionalProperties"`
	}{Type: "object", Properties: map[string]property{}}
	for _, p := range q.Parameters {
		s := property{Type: "string", Description: p.About}
		if !p.Text {
			s.Type, s.Minimum = "integer", &p.Least
			if !p.Required {
				s.Default = &p.Usual
			}
			if p.Most > 0 {
				s.Maximum = &p.Most
			}
		}
		if schema.Properties[p.Name] = s; p.Required {
			schema.Required = append(schema.Required, p.Name)
		}
	}
	text, err := json.Marshal(schema)
	if err != nil {
		panic(err) // unreachable: a schema has only texts and numbers
	}
	return text
}
