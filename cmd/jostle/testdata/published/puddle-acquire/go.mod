module published

go 1.26

require github.com/jackc/puddle v1.0.0 // mended in v1.1.0
