module github.com/jostle-go/jostle/pulse/adapt/etcdraft

go 1.26

require (
	github.com/jostle-go/jostle v0.0.0
	go.etcd.io/raft/v3 v3.7.0
	go.uber.org/goleak v1.3.0
	google.golang.org/protobuf v1.36.11
	pgregory.net/rapid v1.3.0
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/leanovate/gopter v0.2.11 // indirect
	golang.org/x/exp v0.0.0-20231110203233-9a3e6036ecaa // indirect
)
