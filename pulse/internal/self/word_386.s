#include "textflag.h"

// func Goroutine() uintptr
TEXT ·Goroutine(SB), NOSPLIT, $0-4
	MOVL TLS, AX
	MOVL 0(AX)(TLS*1), AX
	MOVL AX, ret+0(FP)
	RET
