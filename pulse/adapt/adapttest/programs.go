package adapttest

import "fmt"

// A program is a small test program. It runs on the adapter's runtime and on pulse's
// own runtime.
type program struct {
	name  string
	build func(*stage)
	asks  bool // set if its actors wait for answers
}

func programs() []program {
	return []program{
		{"senders", senders, false},
		{"pingpong", pingPong, false},
		{"pi", pi, false},
		{"family", family, false},
		{"philosophers", philosophers, false},
		{"askers", askers, true},
	}
}

// senders is a program in which three actors send two messages each to a fourth actor.
func senders(s *stage) {
	sink := s.spawn("sink", func(*turn, string) {})
	for _, name := range []string{"one", "two", "three"} {
		s.send(s.spawn(name, func(t *turn, _ string) {
			t.send(sink, "number")
			t.send(sink, "number")
		}), "go")
	}
}

// pingPong is a program in which two actors play four rounds. Each ping gets two
// answers. On the first answer, the player that sent the ping sends itself a
// message. That message may arrive before the second answer.
func pingPong(s *stage) {
	pong := s.spawn("pong", func(t *turn, word string) {
		if word == "stop" {
			t.ctx.Stop()
			return
		}
		t.reply("ack")
		t.reply("pong")
	})
	rounds, due := 4, 1
	s.send(s.spawn("ping", func(t *turn, word string) {
		switch word {
		case "stop":
			t.ctx.Stop()
			return
		case "ack":
			t.send(t.player, "noted")
			return
		}
		if due--; due > 0 {
			return
		}
		if rounds, due = rounds-1, 2; rounds >= 0 {
			t.send(pong, "ping")
			return
		}
		t.send(pong, "stop")
		t.send(t.player, "stop")
	}), "go")
}

// pi is a program in which a master sends a task to each of three workers and
// adds up their answers. Then the master stops the workers and itself.
func pi(s *stage) {
	var workers []*player
	for i := range 3 {
		workers = append(workers, s.spawn(fmt.Sprint("worker", i+1), func(t *turn, word string) {
			if word == "stop" {
				t.ctx.Stop()
				return
			}
			t.reply("sum")
		}))
	}
	sums := 0
	s.send(s.spawn("master", func(t *turn, word string) {
		if word == "go" {
			for _, w := range workers {
				t.send(w, "part")
			}
			return
		}
		if sums++; sums == len(workers) {
			for _, w := range workers {
				t.send(w, "stop")
			}
			t.ctx.Stop()
		}
	}), "go")
}

// family is a program in which an actor spawns two others, and each of these
// spawns two more. All but the first actor report to their parents when their
// own children have reported. No actor stops, because some runtimes notify
// parents of a stop.
func family(s *stage) { s.send(s.spawn("child", member("child", 2)), "go") }

// member returns the handler of an actor below which a number of generations are
// spawned.
func member(name string, generations int) func(*turn, string) {
	var parent party
	told := 0
	return func(t *turn, word string) {
		if word == "told" {
			told++
		} else {
			parent = t.sender()
		}
		for i := 1; word != "told" && generations > 0 && i <= 2; i++ {
			child := fmt.Sprint(name, i)
			t.send(t.spawn(child, member(child, generations-1)), "born")
		}
		if parent.player != nil && (generations == 0 || told == 2) {
			t.answer(parent, "told")
		}
	}
}

// philosophers is a program in which three philosophers each take two forks and put
// them back. Each philosopher takes the fork with the lower number first. A taken
// fork keeps a queue of the philosophers who have asked for the fork.
func philosophers(s *stage) {
	forks := make([]*player, 3)
	for i := range forks {
		var queue []party
		forks[i] = s.spawn(fmt.Sprint("fork", i+1), func(t *turn, word string) {
			if word == "take" {
				if queue = append(queue, t.sender()); len(queue) == 1 {
					t.reply("taken")
				}
				return
			}
			if queue = queue[1:]; len(queue) > 0 {
				t.answer(queue[0], "taken")
			}
		})
	}
	for i := range forks {
		first, second := forks[min(i, (i+1)%3)], forks[max(i, (i+1)%3)]
		held := 0
		s.send(s.spawn(fmt.Sprint("philosopher", i+1), func(t *turn, word string) {
			if word == "taken" {
				held++
			}
			switch held {
			case 0:
				t.send(first, "take")
			case 1:
				t.send(second, "take")
			case 2:
				t.send(first, "put")
				t.send(second, "put")
			}
		}), "go")
	}
}

// askers is a program in which two actors ask a third actor twice. Before that, each
// asker sends the other asker a message, which may come while that asker waits.
func askers(s *stage) {
	server := s.spawn("server", func(t *turn, _ string) { t.reply("answer") })
	both := make([]*player, 2)
	for i := range both {
		both[i] = s.spawn(fmt.Sprint("asker", i+1), func(t *turn, word string) {
			if word == "go" {
				t.send(both[1-i], "hello")
				t.ask(server, "question")
				t.ask(server, "question")
			}
		})
	}
	for _, p := range both {
		s.send(p, "go")
	}
}
