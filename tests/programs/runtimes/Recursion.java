// SPDX-License-Identifier: GPL-2.0
// Recursion through known methods, for so many seconds.
public class Recursion {
	static int grind(int rounds) {
		int x = 1;
		for (int i = 0; i < rounds; i++)
			x = x * 31 + (i ^ (x >>> 3));
		return x;
	}
	static int descend(int depth, int rounds) {
		return depth != 0 ? descend(depth - 1, rounds) + 1 : grind(rounds);
	}
	public static void main(String[] arguments) {
		long end = System.nanoTime() + Integer.parseInt(arguments[0]) * 1_000_000_000L;
		int sum = 0;
		while (System.nanoTime() < end)
			sum += descend(20, 20000);
		System.out.println(sum);
	}
}
