// SPDX-License-Identifier: GPL-2.0
// The real ports of a recording.
#include "io/machine.h"

#include <algorithm>
#include <sys/resource.h>

namespace uwind {

Result<std::unique_ptr<Machine>> Machine::open()
{
	auto machine = std::make_unique<Machine>();
	auto device = Device::open();
	if (!device)
		return device.error();
	auto stream = NetlinkStream::open();
	if (!stream)
		return stream.error();
	if (const auto attached = (*stream)->attach((*device)->fd()); !attached)
		return attached.error();
	machine->device = std::move(*device);
	machine->kernel_regions.set_device(machine->device->fd());
	machine->stream = std::move(*stream);
	return machine;
}

void raise_file_limit(std::size_t most)
{
	rlimit limit{};
	if (::getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= most)
		return;
	limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, most);
	(void)::setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace uwind
