module published

go 1.26

require github.com/hashicorp/memberlist v0.5.4 // mended in v0.6.0
