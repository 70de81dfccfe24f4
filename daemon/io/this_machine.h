// SPDX-License-Identifier: GPL-2.0
// The machine that this program runs on, as `uwind doctor` looks at it.
#pragma once

#include "port/surroundings.h"

namespace uwind {

class ThisMachine : public Surroundings {
public:
	RunningKernel kernel() override;
	Result<std::string> kernel_options() override;
	Result<std::string> read(const std::string& path) override;
	bool exists(const std::string& path) override;
	std::optional<DeviceNode> device(const std::string& path) override;
	Result<ModuleVersion> loaded_module() override;
	ModuleFile module_file() override;
	Caller caller() override;
	DebugOfLibrary debug_of_c_library() override;
};

// Whether a module's file ends with a signature.
bool has_signature(const std::string& path);
// The text of a gzip file.
Result<std::string> read_gzip(const std::string& path);
// The number after "CapEff:" in the text of /proc/PID/status; 0: there is none.
std::uint64_t effective_capabilities(const std::string& status);

} // namespace uwind
