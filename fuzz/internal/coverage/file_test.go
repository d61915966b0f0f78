package coverage_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// written returns the coverage of some runs of the Bitá paper's program.
func written(runs uint64) *coverage.Orders {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	o := &coverage.Orders{Source: 7}
	for seed := range runs {
		sys.Reset(seed)
		writer.Config{Actions: 2}.Build(sys)
		sys.Run()
		o.Add(sys.Trace(), coverage.Run{Unguided: true})
	}
	return o
}

// The golden file can still be read. Writing its content again gives the same bytes.
func TestFileIsKept(t *testing.T) {
	golden.File(t, "testdata/orders-1.golden", hex.Dump(file(t, written(5))))
	kept, err := os.ReadFile("testdata/orders-1.golden")
	if err != nil {
		t.Fatal(err)
	}
	o := read(t, undump(t, string(kept)))
	if got, want := o.Text(), written(5).Text(); got != want {
		t.Errorf("the kept file says\n%s, want\n%s", got, want)
	}
}

// Reading a file does not change the settings of the Orders.
func TestSettingsStay(t *testing.T) {
	set := &coverage.Orders{Source: 1, Steps: 2, Bytes: 3, Unjudged: true}
	read, want := *set, reflect.ValueOf(set).Elem()
	if err := read.UnmarshalBinary(file(t, written(5))); err != nil {
		t.Fatal(err)
	}
	for f, is := range reflect.ValueOf(&read).Elem().Fields() {
		if was := want.FieldByIndex(f.Index); f.IsExported() && (was.IsZero() || !is.Equal(was)) {
			t.Errorf("%s is %v, want %v", f.Name, is, was)
		}
	}
}

// undump is the inverse of hex.Dump.
func undump(t *testing.T, text string) (data []byte) {
	for line := range strings.Lines(text) {
		digits := line[10:58]
		b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, b...)
	}
	return data
}

// signed returns a file with this content and a valid hash.
func signed(content []byte) []byte {
	return binary.LittleEndian.AppendUint64(bytes.Clone(content), hash.String(string(content)))
}

func TestBadFiles(t *testing.T) {
	good := file(t, written(5))
	for _, c := range []struct{ name, data, want string }{
		{"empty", "", "this is no file of receive orders"},
		{"something else", "PNG\x00", "this is no file of receive orders"},
		{"a later version", "jostle orders 12\nwhatever", `the file is of version "12", and this jostle reads version 1`},
		{"a long version", "jostle orders 1" + strings.Repeat("2", 40) + "\n", "of version \"12222222222222222222\""},
		{"the header alone", "jostle orders 1\n", "damaged"},
		{"ten megabytes", "jostle orders 1\n" + strings.Repeat("x", 10<<20), "damaged"},
		{"bytes behind it", string(good) + "x", "damaged"},
	} {
		o := written(2)
		before := file(t, o)
		if err := o.UnmarshalBinary([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if !bytes.Equal(before, file(t, o)) {
			t.Errorf("%s: it has changed what was known", c.name)
		}
	}
	for i := range good {
		if err := new(coverage.Orders).UnmarshalBinary(good[:i]); err == nil {
			t.Errorf("the first %d bytes are taken for a file", i)
		}
		bad := bytes.Clone(good)
		bad[i] ^= 0x10
		if err := new(coverage.Orders).UnmarshalBinary(bad); err == nil {
			t.Errorf("a file with another byte %d is taken for whole", i)
		}
	}
	// Files with a valid hash and invalid content must not be trusted either: they are
	// refused, or can be written again.
	for i := len("jostle orders 1\n"); i < len(good)-8; i++ {
		for _, b := range []byte{0, 1, 0x7f, 0xff} {
			bad := bytes.Clone(good[:len(good)-8])
			bad[i] = b
			checkRead(t, signed(bad))
		}
	}
}

// checkRead fails the test if a file is accepted but unusable.
func checkRead(t *testing.T, data []byte) {
	t.Helper()
	o := &coverage.Orders{}
	if o.UnmarshalBinary(data) != nil {
		return
	}
	again := read(t, file(t, o))
	if !bytes.Equal(file(t, again), file(t, o)) || !bytes.Equal(file(t, merged(o, o, again)), file(t, o)) {
		t.Fatalf("read, written and read again it is another: %q", data)
	}
	o.Text()
	o.Add(scripted("vwF"), coverage.Run{})
}

func FuzzFile(f *testing.F) {
	o := written(5)
	data, _ := o.MarshalBinary()
	f.Add(data[len("jostle orders 1\n") : len(data)-8])
	f.Fuzz(func(t *testing.T, data []byte) {
		checkRead(t, signed(append([]byte("jostle orders 1\n"), data...)))
	})
}
