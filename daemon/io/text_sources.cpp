// SPDX-License-Identifier: GPL-2.0
// What tells of changes of the kernel's text on this machine.
#include "io/text_sources.h"

#include "io/device.h"
#include "io/text_changes_both.h"
#include "io/text_changes_module.h"
#include "io/text_changes_perf.h"

namespace uwind {

std::unique_ptr<TextChanges> text_changes_of_this_machine()
{
	using Perf = TextChangesPerf;
	using Module = TextChangesModule;
	if constexpr (own_arch() == Arch::x86_64) {
		if (!Device::open()) // then perf's tracepoints of modules must do, which say less
			return std::make_unique<Perf>(Perf::What::everything);
		return std::make_unique<TextChangesBoth>(std::make_unique<Perf>(Perf::What::without_modules),
							 std::make_unique<Module>(Module::What::MODULES));
	}
	return std::make_unique<TextChangesBoth>(std::make_unique<Module>(Module::What::MODULES_AND_CHANGES),
						 std::make_unique<Perf>(Perf::What::symbols_only));
}

} // namespace uwind
