module published

go 1.26

require go.opentelemetry.io/otel/sdk v1.16.0 // mended in v1.17.0
