//go:build arm || mips || mipsle

#include "textflag.h"

// func Goroutine() uintptr
TEXT ·Goroutine(SB), NOSPLIT, $0-4
	MOVW g, ret+0(FP)
	RET
