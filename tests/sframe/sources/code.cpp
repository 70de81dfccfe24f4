// SPDX-License-Identifier: GPL-2.0
// What a compiler makes of C++: handlers, clean-ups, virtual and static functions,
// code in sections of its own. Nobody runs it.
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int c_code(int);
extern "C" int outside1(int);

namespace {

struct Shape {
	virtual ~Shape() = default;
	virtual int area() const = 0;
};

struct Square final : Shape {
	explicit Square(int side) : side_(side) {}
	int area() const override { return outside1(side_) * side_; }
	const int side_;
};

struct Cleanup {
	~Cleanup() { outside1(1); }
};

__attribute__((noinline)) int thrower(int depth)
{
	Cleanup cleanup;
	if (depth == 0)
		throw std::runtime_error("thrown");
	return thrower(depth - 1) + 1;
}

__attribute__((noinline)) int caught(int depth)
{
	try {
		return thrower(depth);
	} catch (const std::exception& error) {
		return static_cast<int>(std::string(error.what()).size());
	} catch (...) {
		throw;
	}
}

} // namespace

template <class T>
T largest(const std::vector<T>& values)
{
	T result{};
	for (const T& value : values)
		result = result < value ? value : result;
	return result;
}

int main(int argc, char** argv)
{
	static const std::string name = argv[0];
	const Square square(argc);
	const Shape& shape = square;
	std::vector<std::string> words(argv, argv + argc);
	return caught(argc) + shape.area() + static_cast<int>(largest(words).size() + name.size()) + c_code(argc);
}
