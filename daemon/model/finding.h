// SPDX-License-Identifier: GPL-2.0
// One check of `uwind doctor`: what it found, what does not work, and the command that corrects it.
#pragma once

#include <string>
#include <vector>

namespace uwind {

enum class Verdict {
	ok,
	warning, // something does not work, or works less well
	missing, // nothing can be recorded without it
};

struct Finding {
	std::string check; // "module": one word
	Verdict verdict = Verdict::ok;
	std::string found;
	std::string costs; // what does not work; "": everything works
	std::string mend;  // the command that corrects it; "": not needed
};

struct Diagnosis {
	std::vector<Finding> findings;
	bool module_absent = false; // the module is not loaded
};

inline const char* name_of(Verdict verdict)
{
	return verdict == Verdict::ok ? "ok" : verdict == Verdict::warning ? "warning" : "missing";
}

} // namespace uwind
