// SPDX-License-Identifier: GPL-2.0
// What was found about one thing that uwind needs of a machine.
#pragma once

#include <string>
#include <vector>

namespace uwind {

enum class Verdict {
	ok,
	warning, // something works less well
	missing, // nothing can be recorded without it
};

struct Finding {
	std::string check; // "module": one word
	Verdict verdict = Verdict::ok;
	std::string found;
	std::string costs; // what does not work; "" if all does
	std::string mend;  // a command; "" if there is nothing to mend
};

struct Diagnosis {
	std::vector<Finding> findings;
	bool module_absent = false; // it is not loaded
};

inline const char* name_of(Verdict verdict)
{
	return verdict == Verdict::ok ? "ok" : verdict == Verdict::warning ? "warning" : "missing";
}

} // namespace uwind
