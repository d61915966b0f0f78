module published

go 1.26

require github.com/jackc/puddle v1.1.3 // mended in v1.1.4
