// SPDX-License-Identifier: GPL-2.0
// What was found about a machine: a line each for people, or JSON.
#pragma once

#include <iosfwd>

#include "model/finding.h"

namespace uwind {

// "missing  module     is not loaded; so nothing can be recorded; to mend: modprobe uwind"
void write_diagnosis(const Diagnosis& diagnosis, std::ostream& out);
// {"module_loaded": …, "findings": [{"check", "verdict", "found", "costs", "mend"}, …]}
void write_diagnosis_json(const Diagnosis& diagnosis, std::ostream& out);

} // namespace uwind
