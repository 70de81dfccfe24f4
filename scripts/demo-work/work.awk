# SPDX-License-Identifier: GPL-2.0
# Endless work for gawk: user functions that recurse, associative arrays, regular expressions, sorting by a function.
function fibonacci(n) {
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2)
}

function by_last_digit(i1, v1, i2, v2) {
	return v1 % 10 - v2 % 10
}

function fill(numbers, n,    i) {
	for (i = 0; i < n; i++)
		numbers[i] = (i * 7919) % 1009
}

BEGIN {
	text = "every frame of a stack has a caller, but for the outermost one"
	while (1) {
		fibonacci(14)
		fill(numbers, 200)
		asort(numbers, sorted, "by_last_digit")
		n = split(text, words, /[ ,]+/)
		changed = gensub(/([a-z])([a-z]+)/, "\\2\\1", "g", text)
	}
}
