//go:build mips || mipsle

#include "textflag.h"

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-4
	MOVW g, ret+0(FP)
	RET
