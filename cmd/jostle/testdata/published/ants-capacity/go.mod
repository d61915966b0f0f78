module published

go 1.26

require github.com/panjf2000/ants/v2 v2.11.3 // mended in v2.11.4
