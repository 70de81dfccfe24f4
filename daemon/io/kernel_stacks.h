// SPDX-License-Identifier: GPL-2.0
// /dev/uwind: the kernel's deepest stacks (uwind_kstack.h).
#pragma once

#include "base/byte_cursor.h"
#include "base/handle.h"
#include "base/result.h"
#include "model/kernel_stacks.h"

namespace uwind {

// They are kept from start() until this ends.
class KernelStackWatch {
public:
	// device: of /dev/uwind. EPERM: without CAP_PERFMON; EBUSY: too many at a time; ENODEV: the kernel traces no
	// functions.
	static Result<KernelStackWatch> start(int device, const KernelStackOptions& options);

	// As they are now, without names.
	Result<KernelStacks> read() const;

private:
	explicit KernelStackWatch(UniqueFd fd) : fd_(std::move(fd)) {}

	UniqueFd fd_;
};

// Adds what records say. EPROTO: they are none.
Status add_kernel_stack_records(Bytes records, KernelStacks& stacks);

} // namespace uwind
