// SPDX-License-Identifier: GPL-2.0
// What systemd is told, on a socket like its own; and the signals that ask things of a service.
#include <catch2/catch.hpp>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/handle.h"
#include "io/stop_signals.h"
#include "io/systemd.h"
#include "io/text_file.h"

using namespace uwind;

namespace {

// Takes NOTIFY_SOCKET's place for as long as it lives.
class NotifySocket {
public:
	NotifySocket() : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
	{
		const std::string name = "uwind-test-" + std::to_string(::getpid());
		sockaddr_un address{};
		address.sun_family = AF_UNIX;
		std::memcpy(address.sun_path + 1, name.data(), name.size());
		const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
		REQUIRE(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), length) == 0);
		::setenv("NOTIFY_SOCKET", ("@" + name).c_str(), 1);
	}
	~NotifySocket()
	{
		::unsetenv("NOTIFY_SOCKET");
		::unsetenv("WATCHDOG_USEC");
	}

	// "": nothing was sent.
	std::string heard()
	{
		char text[512];
		const ssize_t length = ::recv(fd_.get(), text, sizeof(text), 0);
		return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : "";
	}

private:
	UniqueFd fd_;
};

// Signals that are blocked stay so for the tests that follow: put back what was.
struct SameSignals {
	sigset_t before;
	SameSignals() { ::sigprocmask(SIG_SETMASK, nullptr, &before); }
	~SameSignals() { ::sigprocmask(SIG_SETMASK, &before, nullptr); }
};

} // namespace

TEST_CASE("systemd hears each state in its own words")
{
	NotifySocket socket;
	Systemd systemd;
	systemd.ready();
	CHECK(socket.heard() == "READY=1");
	systemd.reloading();
	const std::string reloading = socket.heard();
	timespec now{};
	::clock_gettime(CLOCK_MONOTONIC, &now);
	REQUIRE_THAT(reloading, Catch::StartsWith("RELOADING=1\nMONOTONIC_USEC="));
	const auto us = std::stoull(reloading.substr(reloading.rfind('=') + 1));
	CHECK(us <= static_cast<std::uint64_t>(now.tv_sec + 1) * 1'000'000);
	CHECK(us + 10'000'000 >= static_cast<std::uint64_t>(now.tv_sec) * 1'000'000);
	systemd.status("5 samples\nREADY=1");
	CHECK(socket.heard() == "STATUS=5 samples READY=1");
	systemd.stopping();
	CHECK(socket.heard() == "STOPPING=1");
	CHECK(socket.heard().empty());
}

TEST_CASE("signs of life go to a watchdog that waits for them, and no more often than it needs")
{
	NotifySocket socket;
	SECTION("no watchdog")
	{
		Systemd().alive();
		CHECK(socket.heard().empty());
	}
	SECTION("a watchdog that waits for longer than the test takes")
	{
		::setenv("WATCHDOG_USEC", "800000000", 1);
		Systemd systemd;
		systemd.alive();
		CHECK(socket.heard() == "WATCHDOG=1");
		for (int i = 0; i < 10; i++)
			systemd.alive();
		CHECK(socket.heard().empty());
	}
	SECTION("a watchdog of which more than a quarter has passed")
	{
		::setenv("WATCHDOG_USEC", "80000", 1);
		Systemd systemd;
		systemd.alive();
		CHECK(socket.heard() == "WATCHDOG=1");
		::usleep(25'000);
		systemd.alive();
		CHECK(socket.heard() == "WATCHDOG=1");
		CHECK(socket.heard().empty());
	}
	SECTION("a watchdog of somebody else's process")
	{
		::setenv("WATCHDOG_USEC", "80000", 1);
		::setenv("WATCHDOG_PID", "1", 1);
		Systemd().alive();
		::unsetenv("WATCHDOG_PID");
		CHECK(socket.heard().empty());
	}
}

TEST_CASE("SIGHUP asks a service to read its settings, once, and does not end it")
{
	SameSignals same;
	{
		auto signals = StopSignals::catch_them(StopSignals::Hangup::reloads);
		REQUIRE(signals);
		CHECK_FALSE(signals->take_reload());
		::kill(::getpid(), SIGHUP);
		CHECK_FALSE(signals->stop());
		CHECK(signals->take_reload());
		CHECK_FALSE(signals->take_reload());
		::kill(::getpid(), SIGHUP);
		::kill(::getpid(), SIGTERM);
		CHECK(signals->stop());
		CHECK(signals->arrived() == SIGTERM);
	}
	auto command = StopSignals::catch_them();
	REQUIRE(command);
	::kill(::getpid(), SIGHUP);
	CHECK_FALSE(command->take_reload());
	CHECK(command->arrived() == SIGHUP);
}

TEST_CASE("a small file is read whole, a long one or a missing one refused")
{
	char path[] = "/tmp/uwind-text-XXXXXX";
	const UniqueFd fd(::mkstemp(path));
	const std::string text(5000, 'x');
	REQUIRE(::write(fd.get(), text.data(), text.size()) == 5000);
	const auto whole = read_text(path);
	const auto cut = read_text(path, 4999);
	::unlink(path);
	REQUIRE(whole);
	CHECK(*whole == text);
	CHECK(cut.error().code == EFBIG);
	CHECK(read_text(path).error().code == ENOENT);
	CHECK(read_text("/tmp").error().code == EISDIR);
	CHECK_FALSE(read_text("/proc/self/status")->empty());
}
