module published

go 1.26

require github.com/alitto/pond/v2 v2.3.1 // mended in v2.3.2
