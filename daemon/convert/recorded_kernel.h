// SPDX-License-Identifier: GPL-2.0
// Names of the recorded kernel's code.
#pragma once

#include <map>

#include "app/kernel_timeline.h"
#include "model/perf_records.h"
#include "port/kernel_names.h"

namespace uwind {

// The recording says where the kernel and its modules were, and which programs and trampolines came and went. All other
// names are those of the kernel that runs here, if it is the same one: by its build-id, or by its release if that is
// not known. Wherever it lies in memory by now.
class RecordedKernel : public KernelNames {
public:
	static constexpr std::size_t most_modules = 1u << 16; // further ones have no names

	// release: of the kernel that runs here.
	RecordedKernel(KernelNames& ours, const std::string& release, const PerfHeader& header);

	void take(const PerfMapping& record);
	void take(const KernelRegionEvent& record) { timeline_.add(record); }

	std::vector<std::optional<KernelName>> find(const std::vector<std::uint64_t>& addresses) override;
	KernelModule module(const std::string& name) override;
	std::vector<std::uint64_t> addresses_of(const std::vector<std::string>& symbols) override
	{
		return ours_.addresses_of(symbols);
	}
	std::vector<std::optional<KernelSignature>> signatures(const std::vector<KernelName>& functions) override
	{
		return ours_.signatures(functions);
	}
	std::string syscall_name(std::uint32_t number, bool compat) override
	{
		return ours_.syscall_name(number, compat);
	}
	bool is_ours() const { return is_ours_; }
	const KernelTimeline& timeline() const { return timeline_; } // of programs and trampolines

private:
	struct Place {
		std::uint64_t end = 0;
		std::uint64_t here = 0; // where its begin lies in this machine's memory; 0: it does not
	};

	std::string build_id_of(const std::string& path) const;
	std::uint64_t here(std::uint64_t address) const;

	KernelNames& ours_;
	std::map<std::string, std::string> build_ids_; // by path
	bool is_ours_ = false;
	std::optional<std::uint64_t> slide_;    // of the kernel: an address then, less the same now
	std::uint64_t text_ = 0;                // where its code began then
	std::map<std::uint64_t, Place> places_; // of modules, by start
	std::map<std::string, KernelModule> modules_;
	KernelTimeline timeline_;
};

} // namespace uwind
