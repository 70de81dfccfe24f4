// SPDX-License-Identifier: GPL-2.0
// What `uwind doctor` looks at on a machine. Changes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/session.h"

namespace uwind {

struct RunningKernel {
	std::string release; // as uname -r
	std::string machine; // as uname -m
};

struct DeviceNode {
	unsigned mode = 0; // permissions
	std::string owner;
	std::string group;
	bool openable = false; // for reading and writing, by this process
};

struct ModuleFile {
	std::string path;           // "": none for this kernel
	bool known_by_name = false; // modprobe finds it
	bool is_signed = false;
};

struct Caller {
	std::string user;
	std::vector<std::string> groups;
	std::uint64_t capabilities = 0; // effective; bit n is capability n
};

struct DebugOfLibrary {
	std::string library; // the C library's path; "": unknown
	std::string file;    // its separate debug file; "": none
};

class Surroundings {
public:
	virtual ~Surroundings() = default;

	virtual RunningKernel kernel() = 0;
	// The text of the kernel's configuration. ENOENT: not found.
	virtual Result<std::string> kernel_options() = 0;
	// The text of a small file, as in /proc and /sys.
	virtual Result<std::string> read(const std::string& path) = 0;
	virtual bool exists(const std::string& path) = 0;
	// Nothing: no such device.
	virtual std::optional<DeviceNode> device(const std::string& path) = 0;
	// Errors as of opening the device: ENXIO, EPERM, EPROTO.
	virtual Result<ModuleVersion> loaded_module() = 0;
	virtual ModuleFile module_file() = 0;
	virtual Caller caller() = 0;
	virtual DebugOfLibrary debug_of_c_library() = 0;
};

} // namespace uwind
