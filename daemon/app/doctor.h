// SPDX-License-Identifier: GPL-2.0
// What a machine lacks for uwind: what was found, what does not work without it, and the
// command that corrects it.
#pragma once

#include "model/finding.h"
#include "port/surroundings.h"

namespace uwind {

Diagnosis examine(Surroundings& machine);

// The result of each check, in the order in which they are shown.
Finding check_kernel(Surroundings& machine);
Finding check_options(Surroundings& machine);
Finding check_signing(Surroundings& machine);
Finding check_module(Surroundings& machine);
Finding check_device(Surroundings& machine);
Finding check_self_device(Surroundings& machine);
Finding check_capabilities(Surroundings& machine);
Finding check_sample_rate(Surroundings& machine);
Finding check_perf_settings(Surroundings& machine);
Finding check_btf(Surroundings& machine);
Finding check_functions(Surroundings& machine);
Finding check_text(Surroundings& machine);
Finding check_debug_files(Surroundings& machine);

} // namespace uwind
