module published

go 1.26

require go.uber.org/zap v1.27.0 // mended in v1.27.1
