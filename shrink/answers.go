package shrink

// answers tries to set the run's answers to zero. It tries all of them together, then half, then a
// quarter and so on, and finally one at a time. Then it lowers the remaining nonzero answers.
func answers(x *shrinker) {
	for size := len(x.Best.Case.Schedule.Choices); size > 0; size /= 2 {
		for at := 0; at < len(x.Best.Case.Schedule.Choices) && !x.over(); at += size {
			x.answer(at, size)
		}
	}
	for at := 0; at < len(x.Best.Case.Schedule.Choices) && !x.over(); at++ {
		for v := uint32(1); at < len(x.Best.Case.Schedule.Choices) && v < x.Best.Case.Schedule.Choices[at].Value && !x.over(); v++ {
			c := x.Best.Case.Clone()
			c.Schedule.Choices[at].Value = v
			if x.try(c) {
				break
			}
		}
	}
}

// answer tries the best case with some consecutive answers set to zero: at is the index of the
// first, and size is their number.
func (x *shrinker) answer(at, size int) {
	c := x.Best.Case.Clone()
	list := c.Schedule.Choices[at:min(at+size, len(c.Schedule.Choices))]
	changed := false
	for i := range list {
		changed = changed || list[i].Value != 0
		list[i].Value = 0
	}
	if changed {
		x.try(c)
	}
}
