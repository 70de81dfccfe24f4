// SPDX-License-Identifier: GPL-2.0
// Recursion through known functions, for so many seconds.
"use strict";
function grind(rounds) {
	let x = 1;
	for (let i = 0; i < rounds; i++)
		x = (Math.imul(x, 31) + i) | 0;
	return x;
}
function descend(depth, rounds) {
	return depth ? descend(depth - 1, rounds) + 1 : grind(rounds);
}
function endure(seconds) {
	const end = Date.now() + 1000 * seconds;
	let sum = 0;
	while (Date.now() < end)
		sum = (sum + descend(20, 20000)) | 0;
	return sum;
}
console.log(endure(Number(process.argv[2] || 5)));
