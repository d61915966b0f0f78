package etcdraft

import (
	"fmt"
	"strconv"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"

	"github.com/jostle-go/jostle/pulse/adapt/machine"
)

// A record is one entry of the log on a node's disk. It is never changed.
type record struct {
	boot    int // in a first record: which start of the node wrote it
	hard    *raftpb.HardState
	snap    *raftpb.Snapshot
	made    bool // the snapshot was made here: the entries after it stay
	entries []*raftpb.Entry
}

func (r record) String() string {
	text := ""
	if r.hard != nil {
		text += " " + raft.DescribeHardState(r.hard)
	}
	if r.snap != nil {
		text += fmt.Sprintf(" snapshot %d", r.snap.GetMetadata().GetIndex())
	}
	for _, e := range r.entries {
		text += " " + raft.DescribeEntry(e, showEntry)
	}
	return "record" + text
}

// A journal is the log on a node's disk. Each start of the node begins a new one,
// with a record of the whole state. What a crash has left of the old one is not read
// again.
type journal struct {
	boot   int
	prefix string // of the names of records
	count  int    // of records
	names  string // the names of perBlock records from first on
	first  int
}

// bootName is the name of the first record: it sorts before all others.
const bootName = "0.boot"

// open reads what a node has saved, and begins a new journal.
func (j *journal) open(disk machine.Disk, start *raftpb.Snapshot, out *machine.Output[any]) (now record) {
	if first, ok := disk.Read(bootName); ok {
		now = first.(record)
		j.begin(now.boot)
		for {
			next, ok := disk.Read(j.name(j.count + 1))
			if !ok {
				break
			}
			now.add(next.(record))
			j.count++
		}
	} else {
		now = record{snap: start}
		if start != nil {
			now.hard = &raftpb.HardState{Term: new(uint64(1)), Vote: new(uint64(0)), Commit: new(uint64(1))}
		}
	}
	now.boot++
	j.begin(now.boot)
	out.Write(bootName, now)
	out.Sync()
	return now
}

func (j *journal) begin(boot int) { *j = journal{boot: boot, prefix: strconv.Itoa(boot) + "."} }

// perBlock is how many names are made at once.
const perBlock = 16

// name returns the name of a record. It has seven digits, so that later names sort
// last, which a disk handles fastest.
func (j *journal) name(i int) string {
	first, width := i-i%perBlock, len(j.prefix)+7
	if first != j.first || j.names == "" {
		names := make([]byte, 0, perBlock*width)
		for k := first; k < first+perBlock; k++ {
			names = strconv.AppendInt(append(names, j.prefix...), int64(1_000_000+k), 10)
			names[len(names)-7]--
		}
		j.first, j.names = first, string(names)
	}
	at := (i - first) * width
	return j.names[at : at+width]
}

// write adds a record.
func (j *journal) write(r record, out *machine.Output[any]) {
	j.count++
	out.Write(j.name(j.count), r)
}

// add adds a record to r, which has the whole state.
func (r *record) add(next record) {
	if next.snap != nil {
		index := next.snap.GetMetadata().GetIndex()
		switch last := len(r.entries); {
		case last > 0 && next.made && r.entries[last-1].GetIndex() > index && r.entries[0].GetIndex() <= index:
			r.entries = r.entries[index-r.entries[0].GetIndex()+1:]
		default:
			r.entries = nil
		}
		r.snap = next.snap
	}
	if len(next.entries) > 0 {
		keep := 0
		for keep < len(r.entries) && r.entries[keep].GetIndex() < next.entries[0].GetIndex() {
			keep++
		}
		r.entries = append(r.entries[:keep:keep], next.entries...)
	}
	if next.hard != nil {
		r.hard = next.hard
	}
}

// storage returns the storage of a node with the state r.
func (r *record) storage() *raft.MemoryStorage {
	s := raft.NewMemoryStorage()
	must(s.SetHardState(r.hard))
	if r.snap != nil {
		must(s.ApplySnapshot(r.snap))
	}
	must(s.Append(r.entries))
	return s
}

// must panics with an error of raft's storage. None is expected here.
func must(err error) {
	if err != nil {
		panic("etcdraft: " + err.Error())
	}
}
