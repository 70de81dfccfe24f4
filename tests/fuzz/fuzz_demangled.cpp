// SPDX-License-Identifier: GPL-2.0
// Any text as a name of a function, after the letters of each language: its form is bounded, and takes a bounded time.
#include <cstdint>
#include <cstdlib>

#include "app/demangled.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
	const std::string text(reinterpret_cast<const char*>(data), bytes);
	for (const char* prefix : {"", "_ZN", "_Z", "_R", "_D", "_ZN17h"}) {
		const std::string name = prefix + text, form = uwind::demangled(name);
		if (form.size() > uwind::most_demangled_bytes && form != name)
			std::abort();
	}
	return 0;
}
