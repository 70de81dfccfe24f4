// SPDX-License-Identifier: GPL-2.0
// Reads where probes can be put into a program or a library.
#pragma once

#include <string>

#include "port/event_sources.h"

namespace uwind {

// A name without a slash is looked up in PATH. Functions are those of .symtab, of a separate debug file, and of
// .dynsym.
Result<ProbeFile> read_probe_file(const std::string& path);

} // namespace uwind
