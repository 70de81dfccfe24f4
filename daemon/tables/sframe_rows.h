// SPDX-License-Identifier: GPL-2.0
// .sframe sections lowered in user space, by the core that the module uses too.
#pragma once

#include "base/result.h"
#include "model/table_content.h"

namespace uwind {

// method is the section's version. EBADMSG: broken; the message says at which
// byte and why. EPROTONOSUPPORT: a version or an architecture that is not ours.
// ENODATA: it describes no code in the segments.
Result<TableRows> lower_sframe(const SframeSection& section, Arch arch);

} // namespace uwind
