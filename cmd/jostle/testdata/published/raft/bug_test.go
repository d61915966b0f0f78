package published

import (
	"io"
	"sync"
	"testing"

	"github.com/hashicorp/raft"
)

// Shutdown returns, also during a snapshot.
func TestShutdownDuringSnapshot(t *testing.T) {
	conf := raft.DefaultConfig()
	conf.LocalID, conf.LogOutput = "1", io.Discard
	address, transport := raft.NewInmemTransport("")
	store, snapshots := raft.NewInmemStore(), raft.NewInmemSnapshotStore()
	servers := raft.Configuration{Servers: []raft.Server{{ID: "1", Address: address}}}
	if err := raft.BootstrapCluster(conf, store, store, snapshots, transport, servers); err != nil {
		t.Fatal(err)
	}
	node, err := raft.NewRaft(conf, &raft.MockFSM{}, store, store, snapshots, transport)
	if err != nil {
		t.Fatal(err)
	}
	<-node.LeaderCh()
	node.Apply([]byte("entry"), 0).Error()
	var wg sync.WaitGroup
	wg.Go(func() { node.Snapshot().Error() })
	node.Shutdown().Error()
	wg.Wait()
}
