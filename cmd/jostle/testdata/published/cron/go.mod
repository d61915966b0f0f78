module published

go 1.26

require github.com/robfig/cron/v3 v3.0.0-rc1 // mended in v3.0.0
