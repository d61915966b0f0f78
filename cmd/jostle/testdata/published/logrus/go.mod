module published

go 1.26

require github.com/sirupsen/logrus v1.8.0 // mended in v1.8.1
