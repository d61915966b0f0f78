package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/desk"
	"github.com/jostle-go/jostle/fuzz/internal/screen"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// A Question is what the commands ask and mcp answer about the properties of packages.
type Question struct {
	Name, About string
	Parameters  []Parameter
	// Writes is set if the answer changes files.
	Writes bool
	answer func(ctx context.Context, d *desk.Desk, a values) (any, error)
}

// A Parameter is a parameter of a Question.
type Parameter struct {
	Name, About string
	// Text is set if the argument is a text, and not set if it is a number.
	Text bool
	// Required is set if the argument must be given. Otherwise it is Usual if it is not given.
	Required bool
	Usual    int
	// Least is the smallest number that may be given.
	Least int
	// Most is the largest number that may be given; zero means no limit.
	Most int
}

// values are the arguments of a question.
type values struct {
	text     map[string]string
	numbers  map[string]int
	patterns []string // the packages
}

func (a *values) seconds() time.Duration {
	return time.Duration(a.numbers["seconds"]) * time.Second
}

// A questioner holds the properties of packages, and compiles them again when their sources change.
type questioner struct {
	chooser
	call     *Call
	patterns []string

	requests int // how many questions are answered at the same time, at least one

	mu      sync.RWMutex // held for reading while the desk is used, for writing while it is replaced
	desk    *desk.Desk
	done    func()
	sources map[string]string // as returned by stampsBelow
}

// use calls do with a desk for the present sources. Compiling them ends when ctx is done.
func (b *questioner) use(ctx context.Context, do func(*desk.Desk) error) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	root := enclosing(here, "go.mod")
	for {
		now := stampsBelow(root)
		b.mu.RLock()
		if b.desk != nil && len(differences(b.sources, now)) == 0 {
			defer b.mu.RUnlock()
			return do(b.desk)
		}
		b.mu.RUnlock()
		if err := b.compile(ctx, now); err != nil {
			return err
		}
	}
}

// compile makes a desk for sources, unless there is one.
func (b *questioner) compile(ctx context.Context, sources map[string]string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.desk != nil && len(differences(b.sources, sources)) == 0 {
		return nil
	}
	b.drop()
	call := *b.call
	call.Context = ctx
	d, done, err := b.compiled(&call, b.patterns, b.requests)
	if err != nil {
		done()
		return err
	}
	b.desk, b.done, b.sources = d, done, sources
	return nil
}

// close waits for the questions in progress. Then it ends all processes and removes the test binaries.
func (b *questioner) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop()
}

// drop ends the processes of the desk and removes its test binaries. The caller must hold mu.
func (b *questioner) drop() {
	if b.desk != nil {
		b.done()
		b.desk = nil
	}
}

// Limits of an answer.
const (
	mostAnswer     = 256 << 10 // bytes
	mostAnswerTime = 5 * time.Minute
)

// Ask answers a question, as JSON. The arguments are a JSON object.
func (b *questioner) Ask(ctx context.Context, question string, args []byte) ([]byte, error) {
	q, err := questionNamed(question)
	if err != nil {
		return nil, err
	}
	a, err := q.read(args)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, mostAnswerTime)
	defer cancel()
	defer context.AfterFunc(b.call.Context, cancel)() // after an interrupt, the server of agents would otherwise wait for this answer
	a.patterns = b.patterns
	var answer any
	err = b.use(ctx, func(d *desk.Desk) (err error) {
		answer, err = q.answer(ctx, d, a)
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("there is no answer within %v: ask for less", mostAnswerTime)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(answer, "", "  ")
	if err == nil && len(text) > mostAnswer {
		err = fmt.Errorf("the answer has %d kB, the limit is %d: ask for less, for example for fewer steps", len(text)>>10, mostAnswer>>10)
	}
	return []byte(screen.JSON(text)), err
}

// questionNamed returns the question with the given name.
func questionNamed(name string) (*Question, error) {
	var names []string
	for _, q := range Questions() {
		if q.Name == name {
			return &q, nil
		}
		names = append(names, q.Name)
	}
	return nil, fmt.Errorf("there is no question %q%s", name, cmp.Or(words.DidYouMean(name, "", names), ": `jostle help ask` lists the questions"))
}

// read returns the arguments in a JSON object.
func (q *Question) read(object []byte) (a values, err error) {
	given := map[string]any{}
	if len(object) > 0 {
		if err := json.Unmarshal(object, &given); err != nil {
			return a, fmt.Errorf("the arguments of %s are not a JSON object: %w", q.Name, err)
		}
	}
	a = values{text: map[string]string{}, numbers: map[string]int{}}
	for i := range q.Parameters {
		p := &q.Parameters[i]
		value, is := given[p.Name]
		delete(given, p.Name)
		if !is && p.Required {
			return a, fmt.Errorf("%s needs %s: %s", q.Name, p.Name, p.About)
		}
		if err := a.take(p, value, is); err != nil {
			return a, fmt.Errorf("%s of %s %w", p.Name, q.Name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		return a, fmt.Errorf("%s has no parameter %q (it has %s)", q.Name, name, q.names())
	}
	return a, nil
}

// take stores the value of a parameter.
func (a *values) take(p *Parameter, value any, is bool) error {
	number, isNumber := value.(float64)
	text, isText := value.(string)
	switch {
	case !is:
		a.numbers[p.Name] = p.Usual
	case p.Text && isText:
		a.text[p.Name] = text
	case p.Text:
		return errors.New("must be a text")
	case !isNumber || number != float64(int(number)) || int(number) < p.Least:
		return fmt.Errorf("must be a whole number of at least %d", p.Least)
	case p.Most > 0 && number > float64(p.Most):
		return fmt.Errorf("is %v: the limit is %d", number, p.Most)
	default:
		a.numbers[p.Name] = int(number)
	}
	return nil
}

func (q *Question) names() string {
	list := make([]string, len(q.Parameters))
	for i := range q.Parameters {
		list[i] = q.Parameters[i].Name
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// newAsk returns the command that answers one question.
func newAsk() *Command {
	b := &questioner{}
	packages := "."
	cmd := &Command{
		Use:   "ask question [name=value...]",
		Short: "Answer a question about properties and runs, as JSON",
		Long:  "Ask answers one question about the properties of packages and their runs, as JSON. The\ncommand mcp answers the same questions for agents.\n\n" + listQuestions(),
		Example: `  jostle ask properties
  jostle ask check property=0 seconds=10
  jostle ask steps run=ce2db3 first=4 count=3
  jostle ask continuations run=ce2db3@4:0 step=5`,
		Args: func(args []string) error {
			if len(args) == 0 {
				return errors.New("give a question; `jostle help ask` lists the questions")
			}
			return nil
		},
		Run: func(call *Call, args []string) error {
			object, err := objectOf(args[0], args[1:])
			if err != nil {
				return err
			}
			b.call, b.patterns = call, strings.Fields(packages)
			defer b.close()
			answer, err := b.Ask(call.Context, args[0], object)
			if err == nil {
				fmt.Fprintf(screen.Whole(call.Out), "%s\n", answer)
			}
			return err
		},
	}
	b.flags(cmd)
	b.testsFlag(cmd)
	cmd.Flags().StringVar(&packages, "packages", packages, "the packages, separated by spaces")
	return cmd
}

// objectOf returns the JSON object with arguments such as "step=4".
func objectOf(question string, args []string) ([]byte, error) {
	q, err := questionNamed(question)
	if err != nil {
		return nil, err
	}
	object := map[string]any{}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, fmt.Errorf("the argument %q is not of the form name=value", arg)
		}
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("the argument %s is given twice", name)
		}
		object[name] = value
		text := slices.ContainsFunc(q.Parameters, func(p Parameter) bool { return p.Name == name && p.Text })
		if n, err := strconv.Atoi(value); err == nil && !text {
			object[name] = n
		}
	}
	return json.Marshal(object)
}

// listQuestions describes the questions and their parameters.
func listQuestions() string {
	var b strings.Builder
	for _, q := range Questions() {
		fmt.Fprintf(&b, "%s: %s\n", q.Name, q.About)
		for _, p := range q.Parameters {
			usual := ""
			if !p.Required && !p.Text {
				usual = fmt.Sprintf(" (default %d)", p.Usual)
			}
			fmt.Fprintf(&b, "    %-9s %s%s\n", p.Name, p.About, usual)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// newMCP returns the command that answers questions of agents.
func newMCP() *Command {
	b := &questioner{}
	cmd := &Command{
		Use:   "mcp [packages]",
		Short: "Answer the questions of an agent (Model Context Protocol)",
		Long: `Mcp is a server of the Model Context Protocol on standard input and output. Its tools are
the questions of jostle ask: which properties and cases there are, what happens in each
step of a run, what else could have happened, how often a run fails from there on, and why.
It compiles the packages at the first question, and again when a Go file of the module has
changed.`,
		Example: "  jostle mcp ./...    # the command line to give to the agent",
		Run: func(call *Call, args []string) error {
			if call.Agent == nil {
				return errors.New("this command was built without the Model Context Protocol")
			}
			b.call, b.patterns = call, args
			defer b.close()
			return call.Agent(call.Context, Questions(), b.Ask)
		},
	}
	b.flags(cmd)
	b.testsFlag(cmd)
	return cmd
}
