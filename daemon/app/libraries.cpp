// SPDX-License-Identifier: GPL-2.0
// Where the dynamic loader looks for a library, without its cache and without the
// environment. A library that is not found here gets its table after its first sample.
#include "app/libraries.h"

#include <sstream>

namespace uwind {
namespace {

std::string folder_of(const std::string& path)
{
	const auto slash = path.rfind('/');
	return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string with_origin(std::string folder, const std::string& origin)
{
	for (const char* token : {"${ORIGIN}", "$ORIGIN"}) {
		const std::string text = token;
		if (const auto at = folder.find(text); at != std::string::npos)
			folder.replace(at, text.size(), origin);
	}
	return folder;
}

// Debian's multiarch tuple.
const char* tuple_of(Arch arch)
{
	switch (arch) {
	case Arch::arm64:
		return "aarch64-linux-gnu";
	case Arch::i386:
		return "i386-linux-gnu";
	case Arch::arm:
		return "arm-linux-gnueabihf";
	default:
		return "x86_64-linux-gnu";
	}
}

} // namespace

std::vector<std::string> library_candidates(const std::string& name, const std::string& needed_by,
					    const std::vector<std::string>& folders, Arch arch)
{
	if (name.find('/') != std::string::npos)
		return {name};
	std::vector<std::string> paths;
	for (const auto& list : folders) {
		std::istringstream parts(list);
		for (std::string folder; std::getline(parts, folder, ':');)
			paths.push_back(with_origin(folder, folder_of(needed_by)) + "/" + name);
	}
	for (const char* folder : {"/lib/", "/usr/lib/"})
		paths.push_back(std::string(folder).append(tuple_of(arch)).append("/").append(name));
	for (const char* folder : {"/usr/local/lib/", "/lib64/", "/usr/lib64/", "/lib/", "/usr/lib/"})
		paths.push_back(folder + name);
	return paths;
}

} // namespace uwind
