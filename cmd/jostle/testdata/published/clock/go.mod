module published

go 1.26

require github.com/benbjohnson/clock v1.3.0 // mended in v1.3.1
