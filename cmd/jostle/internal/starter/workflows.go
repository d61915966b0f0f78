package starter

// The workflows, by the names of their files.
const (
	Nightly = "jostle-nightly.yml"
	Change  = "jostle-pr.yml"
)
