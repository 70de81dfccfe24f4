// SPDX-License-Identifier: GPL-2.0
// Which CPUs are online, and which come online later.
#include "io/online_cpus.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/cpu_list.h"
#include "io/text_file.h"

namespace uwind {

Result<std::vector<std::uint32_t>> OnlineCpus::look()
{
	looked_ = Clock::now();
	const auto text = read_text(path_);
	if (!text)
		return text.error();
	const std::string list = text->substr(0, text->find('\n'));
	const auto cpus = parse_cpus(list);
	if (!cpus)
		return Error{EPROTO, path_ + ": '" + list + "' is no list of CPUs"};
	known_ = *cpus;
	return known_;
}

std::vector<std::uint32_t> OnlineCpus::come()
{
	std::vector<std::uint32_t> come;
	if (Clock::now() - looked_ < patience_)
		return come;
	const std::vector<std::uint32_t> before = known_;
	if (const auto now = look())
		std::ranges::set_difference(*now, before, std::back_inserter(come));
	return come;
}

} // namespace uwind
