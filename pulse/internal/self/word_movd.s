//go:build arm64 || ppc64 || ppc64le || s390x || wasm

#include "textflag.h"

// func Goroutine() uintptr
TEXT ·Goroutine(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET
