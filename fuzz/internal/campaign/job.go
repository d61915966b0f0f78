package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
)

// A job is a request to a worker process, with its result.
type job struct {
	target  *target
	request session.Request
	finding *Finding // the finding that the job shrinks, if any
	known   []string // the signatures found before the job began
	size    int      // number of runs in a batch, 0 if unknown when the job began

	// The following three fields are set only if the job is a chunk of the search. A chunk may take
	// several turns. After a turn the field request is for the batches that have not run yet.
	number int // the number of the chunk among the chunks of its property
	first  int // the first batch of the chunk
	count  int // the number of batches in the chunk

	lane    int           // the index of the property's queue (see lane), which is charged for the job
	hand    *hand         // the goroutine that does the job in a worker process
	charged float64       // the seconds charged to the property's lane for this turn
	spent   time.Duration // the cost of all earlier turns of the job
	*meter                // measures the cost of this turn

	reply  *session.Reply     // the sum of the replies of all turns
	seen   []*coverage.Orders // receive pairs of the chunk's runs, one element for each turn
	shown  []*coverage.Orders // receive pairs of runs that do not belong to the search (see Reply.Shown)
	err    error
	died   []record.Record // findings that are deaths of processes
	notes  []string
	deaths int
	late   string // why the job was stopped within a run, "" if it was not
	fickle bool   // set if the failure did not repeat in a new process
}

// lost reports whether the job was not completed because the campaign was over.
func (j *job) lost() bool {
	return errors.Is(j.err, context.Canceled) || errors.Is(j.err, context.DeadlineExceeded) || j.goesOn()
}

// goesOn reports whether the job is a chunk with batches that have not run yet.
func (j *job) goesOn() bool {
	return j.err == nil && j.request.Do == session.Run && j.request.Count > 0
}

// add adds the reply of one turn to the result of the job. If the reply cannot be read, it sets
// j.err.
func (j *job) add(r *session.Reply) {
	if j.err = j.readShown(r); j.err != nil {
		return
	}
	if r.Orders != nil {
		seen := &coverage.Orders{}
		if j.err = seen.UnmarshalBinary(r.Orders); j.err != nil {
			return
		}
		j.seen, r.Orders = append(j.seen, seen), nil
	}
	if j.request.Do == session.Run {
		j.request.First, j.request.Count = j.request.First+r.Over, j.request.Count-r.Over
	}
	if j.reply == nil {
		j.reply = r
		return
	}
	j.reply.Add(r)
}

// A hand is a goroutine that does jobs, one at a time, in worker processes. It keeps the processes
// of the last few properties for later jobs.
type hand struct {
	*Options
	jobs      chan *job
	busy      bool                           // set while the hand has a job; only the campaign's goroutine uses this field
	enough    context.Context                // done when chunks must end after their current run
	searching context.Context                // done when chunks must end at once
	all       context.Context                // done when all jobs must end at once
	at        *job                           // the current job
	doing     atomic.Pointer[worker.Process] // the process that runs a chunk, else nil
	kept      []kept                         // the processes that wait for a job, the most recently used last
	memory    atomic.Uint64                  // the bytes that the waiting processes use
}

type kept struct {
	target  *target
	process *worker.Process
}

// A hand, which is a goroutine that does jobs, keeps waiting processes, because starting one costs
// more than many turns. Limits:
const (
	mostKept   = 32        // the maximum number of kept processes
	keptMemory = 512 << 20 // the maximum memory of all kept processes together, in bytes
)

// work does jobs until the channel of jobs is closed.
func (h *hand) work(results chan<- *job) {
	for j := range h.jobs {
		h.at = j
		h.do(j)
		h.memory.Store(h.keptMemory())
		results <- j
	}
	for _, k := range h.kept {
		k.process.Stop()
	}
}

// mostTries limits the attempts at a job whose process keeps ending for no reproducible reason.
const mostTries = 20

// do does a job. If a run ends the process, do reruns that run to get its case, and repeats the job
// without the batch of that run.
func (h *hand) do(j *job) {
	ctx := h.searching
	if j.request.Do == session.Shrink {
		ctx = h.all
	}
	if j.request.Do == session.Shrink && !h.repeats(ctx, j) {
		return
	}
	for tries := 1; ; {
		var r *session.Reply
		r, j.err = h.ask(ctx, j.target, j.request)
		var death *worker.Death
		if ctx.Err() != nil {
			if j.err = ctx.Err(); h.all.Err() == nil {
				j.late = fmt.Sprintf("a run had not ended %s after the time limit, so its process was killed", words.Elapsed(grace+mostLate))
			}
		}
		if j.err == nil {
			j.add(r)
			return
		}
		if !errors.As(j.err, &death) {
			return
		}
		if death.Asked() && isOver(ctx) {
			j.err = ctx.Err()
			return
		}
		j.deaths++
		again := h.look(ctx, j, death, tries)
		switch {
		case ctx.Err() != nil:
			if j.err = ctx.Err(); h.all.Err() == nil {
				j.late = fmt.Sprintf("a worker ended (%s), and there was no time to rerun its run", death.Headline())
			}
			return
		case again == nil && tries < mostTries && (death.Outside() || j.request.Do != session.Shrink): // the death is not reproducible
			tries++
			j.notes = append(j.notes, fmt.Sprintf("a worker ended (%s); its work was restarted", death.Headline()))
			if j.request.Do == session.Run && h.enough.Err() != nil {
				j.err = h.enough.Err()
				return
			}
			continue
		case again == nil:
			return
		}
		j.died = append(j.died, *again)
		j.known = append(j.known, again.Exact)
		if j.request.Do != session.Run || len(j.died) >= mostDeaths {
			return
		}
		j.request.Without = append(slices.Clone(j.request.Without), death.At.Batch)
		if h.enough.Err() != nil {
			j.err = h.enough.Err()
			return
		}
	}
}

// hearing is how long this process may take to notice a signal that was also sent to its workers.
const hearing = 200 * time.Millisecond

// isOver reports whether ctx is done. It waits a moment for ctx, because the signal that ended a
// worker may reach this process a little later.
func isOver(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	case <-time.After(hearing):
		return ctx.Err() != nil
	}
}

// repeats reports whether the failure that job j shrinks also occurs in a new process. If it does
// not, its cause may be state that earlier runs left in the old process.
func (h *hand) repeats(ctx context.Context, j *job) bool {
	h.kept = slices.DeleteFunc(h.kept, func(k kept) bool {
		if k.target == j.target {
			k.process.Stop()
		}
		return k.target == j.target
	})
	r, err := h.ask(ctx, j.target, session.Request{Do: session.Replay, Case: j.request.Case, File: j.request.File})
	same := func(f record.Record) bool { return f.Exact == j.finding.Exact }
	j.fickle = err == nil && !slices.ContainsFunc(r.Findings, same)
	return !j.fickle
}

// ask sends a request to a waiting process of the property, or to a new one, and returns the reply.
func (h *hand) ask(ctx context.Context, t *target, q session.Request) (*session.Reply, error) {
	p, err := h.process(ctx, t)
	if err != nil {
		return nil, err
	}
	end := context.Background()
	if q.Do == session.Run {
		end = h.enough
		h.doing.Store(p)
	}
	r, err := p.DoUntil(ctx, end, q)
	h.doing.Store(nil)
	var refused *worker.Refusal
	if err == nil || errors.As(err, &refused) {
		h.keep(t, p)
	}
	return r, err
}

// process returns a waiting process of the property or starts a new one. If the new process is
// killed from outside before it is ready, process tries again.
func (h *hand) process(ctx context.Context, t *target) (p *worker.Process, err error) {
	for i, k := range h.kept {
		if k.target == t {
			h.kept = slices.Delete(h.kept, i, i+1)
			return k.process, nil
		}
	}
	for range mostTries {
		var death *worker.Death
		p, err = Start(ctx, t.subject, worker.Command{Memory: h.Memory, Env: h.Env, Beat: h.beat()})
		switch {
		case err == nil || ctx.Err() != nil:
			return p, err
		case !errors.As(err, &death) || !death.Outside():
			return nil, errors.New(err.Error()) // not a *worker.Death, because no run has ended the process
		}
	}
	return nil, errors.New(err.Error())
}

// beat returns the function that is called when a process reports how much processor time it has
// used (a beat). The function charges the time since the last beat to the current job.
func (h *hand) beat() func(worker.Beat) {
	var last time.Duration
	return func(b worker.Beat) {
		if b.CPU > 0 {
			h.at.use(b.CPU-last, b.Busy)
			last = b.CPU
		}
	}
}

// keep adds p to the waiting processes. If there are too many, or they have too much memory, it
// stops the least recently used ones.
func (h *hand) keep(t *target, p *worker.Process) {
	h.kept = append(h.kept, kept{t, p})
	for len(h.kept) > mostKept || len(h.kept) > 1 && h.keptMemory() > keptMemory {
		h.kept[0].process.Stop()
		h.kept = h.kept[1:]
	}
}

// keptMemory returns the memory of the waiting processes in bytes.
func (h *hand) keptMemory() (sum uint64) {
	for _, k := range h.kept {
		sum += k.process.Used()
	}
	return sum
}

// Start starts a worker process for a subject. The parameter bounds has the limits of the process,
// additional environment variables and the function Beat.
func Start(ctx context.Context, s Subject, bounds worker.Command) (*worker.Process, error) {
	c := s.Binary.Command(s.Property.Test)
	c.Memory, c.Silence, c.StartUp, c.Beat, c.Env = bounds.Memory, bounds.Silence, bounds.StartUp, bounds.Beat, append(c.Env, bounds.Env...)
	p, err := worker.Start(c)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, p.Interrupt)
	defer stop()
	for {
		offer, err := p.Offer()
		switch {
		case ctx.Err() != nil:
			p.Stop()
			return nil, ctx.Err()
		case err != nil:
			return nil, fmt.Errorf("%s no longer passes the property to package fuzz: %w", s.Property.Test, err)
		}
		same := offer.Test == s.Property.Test && offer.Call == s.Property.Call
		if err := p.Answer(same); err != nil {
			p.Stop()
			return nil, cmp.Or(ctx.Err(), err)
		}
		if same {
			return p, nil
		}
	}
}

// timesAgain limits the reruns of a run that ended its process. If one rerun also ends its process,
// the death is confirmed. If the process may have been killed from outside, all reruns must end at
// the same decision.
const timesAgain = 3

// look reruns the batch in which a process died, and returns the death as a finding. It returns nil
// if the reruns end normally and something other than the run may have ended the process: a signal,
// a suspended machine, or the memory of many runs together. The parameter tries is the number of
// the attempt, from 1.
func (h *hand) look(ctx context.Context, j *job, death *worker.Death, tries int) *record.Record {
	if j.request.Do == session.Shrink {
		return nil
	}
	f := death.Record()
	f.Signature = signature(death)
	f.Exact, f.Where = f.Signature, whereDied(j, death)
	f.Property, f.Test = j.target.subject.Property.Name, j.target.subject.Property.Test
	if j.request.Do == session.Begin && death.At.String() != "" { // the process died in a run before the search
		if death.Outside() || death.Cause != "" && tries == 1 {
			return nil
		}
		f.Path, f.Known = death.At.Saved, death.At.Saved != ""
		return f
	}
	if slices.Contains(j.known, f.Exact) && !death.Outside() {
		return f // the failure has a case already
	}
	q := session.Request{Do: session.Again, Seed: h.Seed, First: death.At.Batch, Runs: j.request.Runs, Hinted: j.request.Hinted}
	var ends []*worker.Death
	for n := 1; n <= timesAgain && ctx.Err() == nil; n++ {
		_, err := h.ask(ctx, j.target, q)
		var again *worker.Death
		if errors.As(err, &again) && again.Last != nil && (death.Outside() || !again.Outside()) {
			ends = append(ends, again)
		}
		if len(ends) > 0 && !death.Outside() || len(ends) < n && death.Outside() {
			break
		}
	}
	if len(ends) == timesAgain && alike(ends) || len(ends) > 0 && !death.Outside() {
		f.Detail = ends[0].Record().Detail
		h.caseOf(ctx, j, ends[0], f)
		return f
	}
	if death.Outside() || death.Cause != "" {
		return nil
	}
	f.Where += fmt.Sprintf(", which ended normally when rerun %d times", timesAgain)
	return f
}

// alike reports whether all processes died at the same decision of the same run.
func alike(list []*worker.Death) bool {
	return !slices.ContainsFunc(list, func(d *worker.Death) bool {
		return d.Last.Run != list[0].Last.Run || d.Last.Number != list[0].Last.Number
	})
}

// caseOf sets f.Case to the case of the run that ended its process. It reruns the batch up to the
// decision at which the process died.
func (h *hand) caseOf(ctx context.Context, j *job, death *worker.Death, f *record.Record) {
	f.Run = death.Last.Run + 1
	f.Where = fmt.Sprintf("run %d, rerun", f.Run)
	q := session.Request{Do: session.Again, Seed: h.Seed, First: death.At.Batch, Runs: j.request.Runs, Hinted: j.request.Hinted, Stop: death.Last, Signature: f.Signature, Headline: f.Failure}
	r, err := h.ask(ctx, j.target, q)
	if err != nil || len(r.Findings) == 0 || j.readShown(r) != nil {
		return
	}
	f.Case, f.Worth = r.Findings[0].Case, true
	if f.Chart, f.Rows = r.Findings[0].Chart, r.Findings[0].Rows; len(f.Rows) > 0 {
		f.Remarks = append(f.Remarks, "(up to the last step before the process ended)")
	}
}

// whereDied describes what a process was doing when it died, as "one of the runs 21 to 30".
func whereDied(j *job, d *worker.Death) string {
	if text := d.At.String(); text != "" {
		return text
	}
	if j.size > 0 {
		return fmt.Sprintf("one of the runs %d to %d", d.At.Batch*j.size+1, (d.At.Batch+1)*j.size)
	}
	return fmt.Sprintf("a run of batch %d", d.At.Batch+1)
}

// signature returns the signature of a death: its headline with every number replaced by "#".
func signature(d *worker.Death) string {
	text := d.Headline()
	if d.Stalled { // the duration of the stall differs from run to run
		_, where, _ := strings.Cut(text, ", ")
		text = "no progress, " + where
	}
	var b strings.Builder
	digits := false
	for _, r := range text {
		if r >= '0' && r <= '9' {
			if !digits {
				b.WriteByte('#')
			}
			digits = true
			continue
		}
		digits = false
		b.WriteRune(r)
	}
	return "process: " + b.String()
}
