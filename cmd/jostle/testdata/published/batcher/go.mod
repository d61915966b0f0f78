module published

go 1.26

require github.com/eapache/go-resiliency v1.5.0 // mended in v1.6.0
