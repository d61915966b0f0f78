module published

go 1.26

require golang.org/x/sync v0.0.0-20220923202941-7f9b1623fab7 // mended in v0.0.0-20220929204114-8fcdb60fdcc0
