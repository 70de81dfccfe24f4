// SPDX-License-Identifier: GPL-2.0
// Which container a control group is of.
#include <catch2/catch.hpp>

#include "app/container.h"

using namespace uwind;

namespace {

const std::string id(64, 'a');

} // namespace

TEST_CASE("a container's id is found in the names that engines give its cgroup")
{
	const auto path = GENERATE("/docker/{}", "/system.slice/docker-{}.scope", "/system.slice/docker-{}.scope/init",
				   "/machine.slice/libpod-{}.scope/container",
				   "/kubepods.slice/kubepods-pod1.slice/cri-containerd-{}.scope",
				   "/kubepods/burstable/pod1/{}", "/user.slice/crio-{}.scope");
	std::string cgroup = path;
	cgroup.replace(cgroup.find("{}"), 2, id);
	CHECK(container_in(cgroup) == id);
}

TEST_CASE("machines and LXC have names")
{
	CHECK(container_in("/machine.slice/machine-web.scope/payload/init.scope") == "web");
	CHECK(container_in("/machine.slice/machine-my\\x2dweb.scope") == "my-web");
	CHECK(container_in("/lxc.payload.web/system.slice/a.service") == "web");
}

TEST_CASE("the innermost container counts")
{
	CHECK(container_in("/machine.slice/machine-web.scope/payload/docker/" + id) == id);
}

TEST_CASE("other cgroups are of no container")
{
	const auto path = GENERATE("", "/", "/init.scope", "/system.slice/ssh.service", "/docker", "/machine-.scope",
				   "/user.slice/user-1000.slice/session-1.scope", "/docker/abc");
	CHECK(container_in(path) == "");
	CHECK(container_in("/docker/" + id + "a") == "");
	CHECK(container_in("/docker/" + std::string(64, 'g')) == "");
}

TEST_CASE("escapes that are none stay as they are")
{
	CHECK(container_in("/machine-a\\xzz.scope") == "a\\xzz");
	CHECK(container_in("/machine-a\\x.scope") == "a\\x");
}
