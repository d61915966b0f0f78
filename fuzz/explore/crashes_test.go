package explore_test

// crashingProgram draws a program in which one or two actors may crash between any two steps, without a
// restart.
func crashingProgram(seed uint64) *program {
	f := common | checking | crashes
	switch seed % 8 {
	case 3:
		f |= looking
	case 5:
		f |= messageFaults
	case 7:
		f |= surviving
	}
	p := newProgram(seed, f)
	s := &p.settings
	s.crash, s.kept, s.lost = 1+count(seed%5 == 4), 0, 0
	if seed%4 == 1 {
		p.features |= living | looking
	}
	if seed%16 == 9 {
		p.features |= unwatching
	}
	return p
}

// cutOffProgram draws a program in which one actor may be cut off. Mostly it has no
// timers.
func cutOffProgram(seed uint64) *program {
	f := stopping | killing | watching | fifo | unordered | processes | becoming | spawning | asking | choosing | checking | partitions
	switch seed % 8 {
	case 1:
		f |= timers | timeouts
	case 3:
		f |= crashes
	case 5:
		f |= looking
	case 7:
		f |= timeouts
	}
	p := newProgram(seed, f)
	s := &p.settings
	s.partition, s.crash, s.kept, s.lost = 1, count(seed%8 == 3), 0, count(seed%32 == 3)
	if seed%8 == 7 {
		p.features |= polling
	}
	if seed%16 == 2 {
		p.features |= bounding
	}
	if seed%16 == 10 {
		p.features |= testAsking
	}
	return p
}
