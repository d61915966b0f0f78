package etcdraft

import (
	"fmt"
	"strconv"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"

	"github.com/jostle-go/jostle/pulse/adapt/machine"
)

// A record is one entry of the log on a node's disk. Records are immutable.
type record struct {
	boot    int // in the first record of a journal: which start of the node wrote it, counted from 1
	hard    *raftpb.HardState
	snap    *raftpb.Snapshot
	made    bool // set if this node made snap; later entries then stay in the log
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

// A journal is the log on a node's disk. Each start of the node begins a new journal
// with a record of the whole state. The node never reads the old journal again.
type journal struct {
	boot   int
	prefix string // of record names
	count  int    // the number of records
	names  string // the names of perBlock consecutive records, joined into one string
	first  int    // the number of the first record whose name is in names
}

// bootName is the name of the first record. It sorts before all other names.
const bootName = "0.boot"

// open reads the journal, begins a new one, and returns a record of the whole state.
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

// perBlock is the number of names that are made at once.
const perBlock = 16

// name returns the name of record i. The number in it has seven digits, so that
// later names sort after earlier names. A disk is fastest with such names.
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

// write adds a record to the journal on disk.
func (j *journal) write(r record, out *machine.Output[any]) {
	j.count++
	out.Write(j.name(j.count), r)
}

// add merges the record next into r, which holds the whole state.
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

// storage returns a raft storage with the state in r.
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
