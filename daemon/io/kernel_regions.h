// SPDX-License-Identifier: GPL-2.0
// Kernel code that comes and goes: perf says which BPF programs and trampolines do, uwind's module which modules.
#pragma once

#include <optional>

#include "io/kallsyms_text.h"
#include "io/ksymbols.h"
#include "io/module_watch.h"
#include "port/kernel_regions.h"

namespace uwind {

class SystemKernelRegions : public KernelRegions {
public:
	// device: a descriptor of /dev/uwind, which outlives this.
	void set_device(int device) { device_ = device; }

	std::vector<Unwatched> watch() override;
	Present present() override;
	void get_ready() override { kallsyms_.get_ready(); }
	std::vector<KernelModuleContent> contents_of(const std::vector<std::string>& modules) override;
	std::vector<KernelRegionEvent> take() override;
	std::uint64_t lost() const override;

private:
	int device_ = -1;
	OwnedKallsyms kallsyms_;
	std::optional<Ksymbols> ksymbols_;
	std::optional<ModuleWatch> modules_;
	std::vector<KernelRegionEvent> held_; // until all that came before them is known
};

} // namespace uwind
