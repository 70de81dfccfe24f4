// SPDX-License-Identifier: GPL-2.0
// Which container a control group is of.
#pragma once

#include <string>

namespace uwind {

// The id that the path tells, by the names that Docker, Podman, containerd, CRI-O and Kubernetes (64 hexadecimal
// digits), LXC
// ("lxc.payload.NAME") and systemd-nspawn ("machine-NAME.scope") use; the innermost one. "": none.
std::string container_in(const std::string& cgroup);

} // namespace uwind
