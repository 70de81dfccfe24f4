// SPDX-License-Identifier: GPL-2.0
// Where the files of a kernel and of its modules are, with their debug information.
#include "objects/kernel_files.h"

#include <algorithm>
#include <filesystem>

namespace uwind {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_files = 1 << 18;

// "nf-tables.ko.debug" → "nf_tables": the kernel knows no '-'. "": it is no module.
std::string module_of(std::string file)
{
	if (file.ends_with(".debug"))
		file.resize(file.size() - 6);
	if (!file.ends_with(".ko"))
		return "";
	file.resize(file.size() - 3);
	std::replace(file.begin(), file.end(), '-', '_');
	return file;
}

} // namespace

const KernelFiles::ByName& KernelFiles::modules_below(const std::string& folder)
{
	const auto [known, is_new] = folders_.try_emplace(folder);
	if (!is_new)
		return known->second;
	std::error_code error;
	std::size_t left = max_files;
	const auto options = fs::directory_options::skip_permission_denied;
	for (fs::recursive_directory_iterator entry(folder, options, error), end; !error && entry != end && left--;
	     entry.increment(error))
		if (std::string name = module_of(entry->path().filename()); !name.empty())
			known->second[name].push_back(entry->path());
	return known->second;
}

std::vector<std::string> KernelFiles::paths(const std::string& folder, const std::string& release,
					    const std::string& name)
{
	if (release.empty() || release.find('/') != std::string::npos || name.size() <= 2)
		return {};
	const std::string modules = folder + "/lib/modules/" + release;
	if (name == "[kernel.kallsyms]")
		return {folder + "/boot/vmlinux-" + release, modules + "/vmlinux", modules + "/build/vmlinux",
			folder + "/vmlinux-" + release};
	const ByName& known = modules_below(modules);
	const auto found = known.find(name.substr(1, name.size() - 2));
	return found == known.end() ? std::vector<std::string>{} : found->second;
}

} // namespace uwind
