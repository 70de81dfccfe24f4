// SPDX-License-Identifier: GPL-2.0
// Functions whose frames differ, for a compiler of 32-bit x86 code: leaves, saved registers, variable arrays,
// over-aligned locals, tail calls, switches, structures that are returned, calls through the PLT.
struct large {
	int words[40];
};

int outside(int value);
int outside_many(int a, int b, int c, int d, int *e);
extern int table[];

int leaf(int a, int b)
{
	return a * b + 1;
}

int saves(int a, int b, int c)
{
	int x = outside(a), y = outside(b), z = outside(c);

	return outside_many(x, y, z, x + y, &z) + table[x & 7];
}

struct large returns(int seed)
{
	struct large result;

	for (int i = 0; i < 40; i++)
		result.words[i] = outside(seed + i);
	return result;
}

int variable(int count)
{
	int words[count];

	for (int i = 0; i < count; i++)
		words[i] = outside(i);
	return outside_many(words[0], count, words[count - 1], 0, words);
}

int aligned(int a)
{
	int words[16] __attribute__((aligned(64)));

	for (int i = 0; i < 16; i++)
		words[i] = outside(a + i);
	return outside_many(words[0], words[5], words[7], a, words);
}

int tail(int a)
{
	return outside(a + 1);
}

int chooses(int a)
{
	switch (a) {
	case 0:
		return outside(3);
	case 1:
		return leaf(a, 5);
	case 2:
		return saves(a, a, a);
	case 3:
		return variable(a);
	case 4:
		return aligned(a);
	case 5:
		return tail(a) + 1;
	default:
		return a;
	}
}

double floats(double a, double b)
{
	return a * outside((int)b) + b;
}

int recursive(int depth)
{
	struct large copy = returns(depth);

	return depth ? recursive(depth - 1) + copy.words[depth & 31] : copy.words[0];
}
