// SPDX-License-Identifier: GPL-2.0
// Names of functions as programmers write them, by libiberty, as addr2line, gdb and perf have them.
#include "app/demangled.h"

#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#define HAVE_DECL_BASENAME 1 // libiberty's is not declared: string.h has another
#include <libiberty/demangle.h>

#include "base/handle.h"

namespace uwind {
namespace {

constexpr int options = DMGL_PARAMS | DMGL_ANSI;

using Demangle = int (*)(const char*, int, demangle_callbackref, void*);

struct Sink {
	std::string text;
	std::jmp_buf too_long;
};

// Where the library would go on for ever, it is left: at this place it holds nothing.
void take(const char* text, std::size_t bytes, void* opaque)
{
	Sink& sink = *static_cast<Sink*>(opaque);
	if (sink.text.size() + bytes > most_demangled_bytes)
		std::longjmp(sink.too_long, 1);
	sink.text.append(text, bytes);
}

bool run(Demangle demangle, const char* name, Sink& sink)
{
	if (setjmp(sink.too_long))
		return false;
	return demangle(name, options, &take, &sink) != 0;
}

bool is_digit(char character)
{
	return character >= '0' && character <= '9';
}

// How far back "Q", at that place of a name of D, refers: a number of base 26, whose last digit is a small letter. 0:
// it does not.
std::size_t distance_of(const std::string& name, std::size_t at)
{
	std::size_t value = 0;
	for (std::size_t i = at + 1; i < name.size(); i++) {
		const char letter = name[i];
		if (letter >= 'a' && letter <= 'z')
			return value * 26 + std::size_t(letter - 'a');
		if (letter < 'A' || letter > 'Z' || value > name.size())
			return 0;
		value = value * 26 + std::size_t(letter - 'A');
	}
	return 0;
}

// No less than what a name of D becomes, though not more than about that limit. What refers to a type before it stands
// for all of what lies between, and so for what that refers to. (For D the library has no way to stop.)
std::uint64_t bound_of_d(const std::string& name, std::uint64_t limit)
{
	struct Reference {
		std::size_t at;
		std::uint64_t bytes;
	};
	std::vector<Reference> references;
	std::uint64_t total = name.size();
	for (std::size_t at = name.find('Q'); at != name.npos && total <= limit; at = name.find('Q', at + 1)) {
		const std::size_t distance = distance_of(name, at);
		if (!distance || distance > at)
			continue;
		std::uint64_t bytes = name.size();
		if (!is_digit(name[at - distance])) // else it refers to an identifier
			for (auto inner = references.rbegin();
			     inner != references.rend() && inner->at >= at - distance && bytes <= limit; ++inner)
				bytes += inner->bytes;
		references.push_back({at, bytes});
		total += bytes;
	}
	return total;
}

std::string d_demangled(const std::string& name)
{
	constexpr std::uint64_t limit = 16u << 20; // memory that is taken for a moment; most names need far less
	constexpr std::size_t longest = 1024;      // how deep the library calls itself grows with it
	if (name.size() > longest || bound_of_d(name, limit) > limit)
		return name;
	const std::unique_ptr<char, FreeWith<&std::free>> text(dlang_demangle(name.c_str(), options));
	const std::string result = text ? text.get() : name;
	return result.size() <= most_demangled_bytes ? result : name;
}

} // namespace

// Rust's older form is one of C++, too, but for its hash.
std::string demangled(const std::string& name)
{
	if (name.starts_with("_D"))
		return d_demangled(name);
	const bool may_be_cxx = name.starts_with("_Z");
	if (!may_be_cxx && !name.starts_with("_R"))
		return name;
	for (const Demangle demangle : {&rust_demangle_callback, &cplus_demangle_v3_callback}) {
		Sink sink;
		if ((may_be_cxx || demangle == &rust_demangle_callback) && run(demangle, name.c_str(), sink))
			return sink.text;
	}
	return name;
}

} // namespace uwind
