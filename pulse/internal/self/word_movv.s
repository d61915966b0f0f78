//go:build loong64 || mips64 || mips64le

#include "textflag.h"

// func Goroutine() uintptr
TEXT ·Goroutine(SB), NOSPLIT, $0-8
	MOVV g, ret+0(FP)
	RET
