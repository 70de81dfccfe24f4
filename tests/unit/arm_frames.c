// SPDX-License-Identifier: GPL-2.0
// Functions whose frames differ, for compilers of 32-bit Arm code: leaves, saved registers, variable arguments and
// arrays, over-aligned and large locals, floating point, tail calls, switches, calls that do not return, functions that
// only pointers lead to.
int outside(int value);
int outside_many(int a, int b, int c, int d, int *e);
void gives_up(int why) __attribute__((noreturn));
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

// The paths without a call may need no frame.
int early(int a)
{
	if (!a)
		return 0;
	return outside(a) + outside(a + 1) * a;
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

int large(int a)
{
	int words[200];

	for (int i = 0; i < 200; i++)
		words[i] = outside(a + i);
	return outside_many(words[0], words[5], words[199], a, words);
}

int arguments(int count, ...)
{
	__builtin_va_list list;
	int sum = 0;

	__builtin_va_start(list, count);
	while (count--)
		sum += outside(__builtin_va_arg(list, int));
	__builtin_va_end(list);
	return sum;
}

int tail(int a)
{
	return outside(a + 1);
}

int checks(int a)
{
	if (a > 100)
		gives_up(a);
	if (outside(a) < 3)
		return leaf(a, 3);
	gives_up(1);
}

static int by_pointer(int a)
{
	return outside(a) * 3;
}

static int also_by_pointer(int a)
{
	return a * 3;
}

int (*const pointers[])(int) = {by_pointer, also_by_pointer};

int chooses(int a)
{
	switch (a) {
	case 0:
		return outside(3);
	case 1:
		return leaf(a, 5) + outside(1);
	case 2:
		return saves(a, a, a);
	case 3:
		return variable(a) ^ 5;
	case 4:
		return aligned(a) + a;
	case 5:
		return tail(a) + 1;
	case 6:
		return pointers[outside(1) & 1](a);
	case 7:
		return large(7) - 7;
	default:
		return a;
	}
}

double floats(double a, double b, double c)
{
	double x = a * outside((int)b) + b, y = c * outside((int)a);

	return x * y + a * outside((int)c);
}

long long wide(long long a, long long b)
{
	return a / (b + outside(1)) + outside_many(1, 2, 3, 4, 0);
}

int recursive(int depth)
{
	int words[40];

	for (int i = 0; i < 40; i++)
		words[i] = outside(i);
	return depth ? recursive(depth - 1) + words[depth & 31] : words[0];
}

int interprets(const unsigned char *code)
{
	static void *const labels[] = {&&add, &&call, &&out};
	int sum = 0;

	goto *labels[*code];
add:
	sum += code[1];
	code += 2;
	goto *labels[*code];
call:
	sum += outside(sum);
	code++;
	goto *labels[*code];
out:
	return sum;
}
