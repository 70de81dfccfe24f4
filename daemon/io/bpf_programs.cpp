// SPDX-License-Identifier: GPL-2.0
// BPF programs that the kernel has compiled.
#include "io/bpf_programs.h"

#include <algorithm>
#include <bpf/bpf.h>
#include <vector>

#include "base/handle.h"
#include "io/device_call.h"

namespace uwind {
namespace {

constexpr std::uint32_t most_programs = 65536;
constexpr std::uint32_t most_functions = 1024; // of a program

void add_functions(int fd, std::map<std::uint64_t, std::uint64_t>& lengths)
{
	std::vector<std::uint64_t> addresses(most_functions);
	std::vector<std::uint32_t> bytes(most_functions);
	bpf_prog_info info{};
	info.jited_ksyms = user_pointer(addresses.data());
	info.nr_jited_ksyms = most_functions;
	info.jited_func_lens = user_pointer(bytes.data());
	info.nr_jited_func_lens = most_functions;
	std::uint32_t size = sizeof(info);
	if (::bpf_obj_get_info_by_fd(fd, &info, &size) < 0)
		return;
	const std::uint32_t functions = std::min({info.nr_jited_ksyms, info.nr_jited_func_lens, most_functions});
	for (std::uint32_t i = 0; i < functions; i++)
		if (addresses[i] && bytes[i])
			lengths[addresses[i]] = bytes[i];
}

} // namespace

std::map<std::uint64_t, std::uint64_t> lengths_of_bpf_programs()
{
	std::map<std::uint64_t, std::uint64_t> lengths;
	std::uint32_t id = 0;
	for (std::uint32_t i = 0; i < most_programs && ::bpf_prog_get_next_id(id, &id) == 0; i++) {
		const UniqueFd fd(::bpf_prog_get_fd_by_id(id));
		if (fd)
			add_functions(fd.get(), lengths);
	}
	return lengths;
}

} // namespace uwind
