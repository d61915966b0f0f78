package stack

import "testing"

// names has the names of functions in the runtime of Go 1.26. Each row has the names
// of one function. The first is its name without inlining. The others are its names
// when it, or a function around it, is inlined into TestX of package clos.
var names = []struct {
	want  string
	names []string
}{
	{"other.Plain", []string{"example.com/clos/other.Plain"}},
	{"other.(*s).m", []string{"example.com/clos/other.(*s).m", "example.com/clos/other.(*s).m-fm"}},
	{"clos.TestX", []string{"example.com/clos.TestX"}},
	{"main.main", []string{"main.main"}},
	{"yaml.v3.Marshal", []string{"gopkg.in/yaml%2ev3.Marshal"}},
	{"other.Map[...]", []string{"example.com/clos/other.Map[...]"}},
	{"other.T[...].M", []string{"example.com/clos/other.T[...].M"}},
	{"other.(*T[...]).M", []string{"example.com/clos/other.(*T[...]).M"}},
	{"other.T[go.shape.int,a/b.c].M", []string{"example.com/clos/other.T[go.shape.int,a/b.c].M"}},
	{"clos.func1", []string{"example.com/clos.func1"}},
	{"clos.(*T).func1", []string{"example.com/clos.(*T).func1"}},
	{"clos.range1", []string{"example.com/clos.range1"}},
	{"clos.init", []string{"example.com/clos.init", "example.com/clos.init.0", "example.com/clos.init.12"}},
	{"clos.function", []string{"example.com/clos.function"}},
	{"cgocall", []string{"cgocall"}},

	{"func in delayed", []string{
		"example.com/clos/other.delayed.func1", "example.com/clos.TestX.delayed.func8", "clos.TestX.func4.delayed.2",
		"clos.TestX.TestX.func3.delayed.func17", "example.com/clos/other.init.delayed.func2"}},
	{"func in ptr", []string{"example.com/clos/other.(*s).ptr.func1", "example.com/clos.TestX.(*s).ptr.func10"}},
	{"func in M", []string{"other/pkg.T[...].M.func1", "example.com/clos.TestX.T[...].M.func14"}},
	{"func in Map", []string{"other/pkg.Map[...].func1", "example.com/clos.TestX.Map[...].func11"}},
	{"func in nested", []string{
		"other/pkg.nested.func1.1", "clos.TestX.TestX.nested.func11.func12",
		"example.com/clos.TestX.TestX.func1.TestX.nested.func12.func17"}},
	{"func in TestX", []string{
		"clos.TestX.func2", "clos.TestX.func4.1", "clos.TestX.func6", "clos.TestX.seq.TestX-range1.func19",
		"clos.TestX.func3.1", "clos.TestX.TestX.func1.TestX.func3.Seq.func22.TestX.TestX.func1.TestX.func3-range3.func23"}},
	{"func in init", []string{
		"example.com/clos.init.func1", "example.com/clos.glob..func1", "example.com/clos.init.func1.1", "clos.init.0.func1"}},
	{"loop in Loop", []string{"example.com/clos/other.Loop-range1", "example.com/clos/other.Loop-range2",
		"example.com/clos/other.Loop.Loop.Seq.func2.Loop-range1-range3"}},
	{"loop in LoopC", []string{"other.LoopC.func1-range1", "example.com/clos.TestX.TestX.func1.TestX.LoopC.func15-range2"}},
	{"func in Spawn", []string{"clos.Spawn.gowrap1", "clos.Spawn.func1.gowrap2", "clos.Spawn.deferwrap1", "clos.Spawn.func2.deferwrap1"}},
}

func TestName(t *testing.T) {
	for _, row := range names {
		for _, name := range row.names {
			if got := nameOf(name); got != row.want {
				t.Errorf("%s is named %q, expected %q", name, got, row.want)
			}
		}
	}
}

func FuzzName(f *testing.F) {
	for _, row := range names {
		for _, name := range row.names {
			f.Add(name)
		}
	}
	f.Add("")
	f.Add("a/")
	f.Add(".-range1")
	f.Fuzz(func(t *testing.T, function string) { nameOf(function) }) // nameOf must not panic for any text
}
