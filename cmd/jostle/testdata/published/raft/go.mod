module published

go 1.26

require github.com/hashicorp/raft v1.1.2 // mended in v1.2.0
