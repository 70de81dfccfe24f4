// SPDX-License-Identifier: GPL-2.0
// Any text as a JSON report; what is accepted can be shown in every form, and is
// the same when it is written and read again.
#include <sstream>

#include "export/folded.h"
#include "export/json.h"
#include "export/summary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
	const auto report = uwind::read_json({reinterpret_cast<const char*>(data), size});
	if (!report)
		return 0;
	std::ostringstream first, second, text;
	uwind::write_folded(*report, text);
	uwind::write_summary(*report, text);
	uwind::write_json(*report, first);
	const auto again = uwind::read_json(first.str());
	if (!again)
		__builtin_trap();
	uwind::write_json(*again, second);
	if (first.str() != second.str())
		__builtin_trap();
	return 0;
}
