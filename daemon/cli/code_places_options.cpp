// SPDX-License-Identifier: GPL-2.0
// The options that say where the files of a report are.
#include "cli/code_places_options.h"

#include <cstdlib>
#include <iostream>

#include "io/debuginfod.h"

namespace uwind {

void CodePlacesOptions::add_to(CLI::App& verb)
{
	verb.add_option("--sysroot", roots,
			"The recorded machine's files are below this folder, not here; may be given more than once")
		->allow_extra_args(false)
		->check(CLI::ExistingDirectory);
	verb.add_option("--debug-dir", debug_folders,
			"Look for debug files in this folder before the others; may be given more than once")
		->allow_extra_args(false)
		->check(CLI::ExistingDirectory);
	verb.add_option("--debuginfod", servers,
			"Ask this server for debug files that are nowhere else, in place of DEBUGINFOD_URLS; may be "
			"given more than once")
		->allow_extra_args(false);
}

Result<std::shared_ptr<OnlineFiles>> CodePlacesOptions::named_servers() const
{
	std::string urls;
	for (const std::string& server : servers)
		urls += (urls.empty() ? "" : " ") + server;
	if (urls.empty())
		return std::shared_ptr<OnlineFiles>();
	const auto online = Debuginfod::open(urls);
	return online ? Result<std::shared_ptr<OnlineFiles>>(*online) : online.error();
}

Result<CodePlaces> CodePlacesOptions::places(bool quiet) const
{
	CodePlaces places;
	if (!roots.empty())
		places = {roots, {}};
	for (const std::string& root : roots)
		places.debug_folders.push_back(root + debug_folder);
	places.debug_folders.insert(places.debug_folders.begin(), debug_folders.begin(), debug_folders.end());
	auto named = named_servers();
	if (!named)
		return named.error();
	places.online = *named;
	const char* const urls = std::getenv("DEBUGINFOD_URLS");
	if (places.online || !urls || !*urls)
		return places;
	const auto online = Debuginfod::open(urls);
	if (online)
		places.online = *online;
	else if (!quiet)
		std::cerr << "uwind: " << online.error().message << '\n';
	return places;
}

} // namespace uwind
