module published

go 1.26

require golang.org/x/sync v0.0.0-20190911185100-cd5d95a43a6e // mended in v0.0.0-20200317015054-43a5402ce75a
