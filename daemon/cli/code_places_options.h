// SPDX-License-Identifier: GPL-2.0
// The options that say where the files of a report are, which several verbs have.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "objects/code_search.h"

namespace uwind {

struct CodePlacesOptions {
	std::vector<std::string> roots, debug_folders, servers;

	void add_to(CLI::App& verb);
	bool any_folder() const { return !roots.empty() || !debug_folders.empty(); }
	// ENOENT: servers cannot be asked. That is no error, but said on standard error unless quiet, if only
	// DEBUGINFOD_URLS names them.
	Result<CodePlaces> places(bool quiet) const;
	// The servers that options name; null: none.
	Result<std::shared_ptr<OnlineFiles>> named_servers() const;
};

} // namespace uwind
