module published

go 1.26

require github.com/prometheus/client_golang v1.13.0 // mended in v1.13.1
