// SPDX-License-Identifier: GPL-2.0
// libseccomp knows the numbers of every architecture.
#include "io/syscall_names.h"

#include <cstdlib>
#include <memory>
#include <seccomp.h>

#include "base/handle.h"

namespace uwind {
namespace {

std::uint32_t narrow_arch()
{
	return seccomp_arch_native() == SCMP_ARCH_X86_64 ? SCMP_ARCH_X86 : SCMP_ARCH_ARM;
}

} // namespace

std::string name_of_syscall(std::uint32_t number, bool compat)
{
	const std::uint32_t arch = compat ? narrow_arch() : seccomp_arch_native();
	const std::unique_ptr<char, FreeWith<&std::free>> name(
		seccomp_syscall_resolve_num_arch(arch, static_cast<int>(number)));
	return name ? name.get() : "";
}

} // namespace uwind
