package procreg

import (
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Property returns the program as a property: the registry is linearizable.
func Property(mended bool) func(*props.T) { return property(Config{Mended: mended}) }

// ForgetsProperty returns the program with the second bug, or mended, as a property.
func ForgetsProperty(mended bool) func(*props.T) {
	return property(Config{Forgets: true, Mended: mended})
}

func property(c Config) func(*props.T) {
	return func(t *props.T) {
		c := c
		names := props.Draw(t, rapid.IntRange(1, 2), "names")
		c.Processes = props.Draw(t, rapid.IntRange(1, 2), "processes")
		commands := rapid.SliceOfN(command(names, c.Processes), 1, 3)
		c.Before = props.Draw(t, commands, "before")
		c.Clients = props.Draw(t, rapid.SliceOfN(commands, 1, 3), "clients")
		sys := t.System()
		check := c.Build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}

// command generates commands. Half of the commands register a name.
func command(names, processes int) *rapid.Generator[Command] {
	return rapid.Custom(func(t *rapid.T) Command {
		return Command{
			Op:      rapid.SampledFrom([]Op{Register, Register, Register, Unregister, WhereIs, Kill}).Draw(t, "op"),
			Name:    rapid.IntRange(0, names-1).Draw(t, "name"),
			Process: rapid.IntRange(0, processes-1).Draw(t, "process"),
		}
	})
}
