// SPDX-License-Identifier: GPL-2.0
// Recursion through known functions, for so many seconds.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

//go:noinline
func grind(rounds int) int32 {
	x := int32(1)
	for i := 0; i < rounds; i++ {
		x = x*31 + int32(i)
	}
	return x
}

//go:noinline
func descend(depth, rounds int) int32 {
	if depth == 0 {
		return grind(rounds)
	}
	return descend(depth-1, rounds) + 1
}

func main() {
	seconds, _ := strconv.Atoi(os.Args[1])
	sum := int32(0)
	for end := time.Now().Add(time.Duration(seconds) * time.Second); time.Now().Before(end); {
		sum += descend(20, 200000)
	}
	fmt.Println(sum)
}
