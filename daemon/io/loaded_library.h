// SPDX-License-Identifier: GPL-2.0
// Libraries that a program loads only when it needs them.
#pragma once

#include <dlfcn.h>
#include <memory>
#include <string>

#include "base/handle.h"

namespace uwind {

// Unloaded with this.
class LoadedLibrary {
public:
	explicit LoadedLibrary(const char* name) : code_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}

	explicit operator bool() const { return code_ != nullptr; }
	// False: it has no such function.
	template <typename Function>
	bool look_up(const char* name, Function& function) const
	{
		function = reinterpret_cast<Function>(::dlsym(code_.get(), name));
		return function != nullptr;
	}

private:
	std::unique_ptr<void, FreeWith<&::dlclose>> code_;
};

} // namespace uwind
