module published

go 1.26

require github.com/jonboulle/clockwork v0.2.2 // mended in v0.2.3
