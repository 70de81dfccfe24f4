// SPDX-License-Identifier: GPL-2.0
// How the kernel's text changes, by uwind's module (UWIND_IOC_WATCH_TEXT).
#include "io/text_changes_module.h"

#include <cerrno>
#include <poll.h>
#include <sys/eventfd.h>

#include "io/device.h"
#include "io/text_watch.h"
#include "uwind.h"

namespace uwind {
namespace {

// All functions of a kernel that are patched at once have room in one of them, each with its two records.
constexpr std::uint32_t room_of_changes = UWIND_MAX_TEXT_BYTES;
constexpr std::uint32_t room_of_modules = 4 << 20; // half of it may have their text
constexpr std::size_t read_bytes = 1 << 20;
constexpr std::chrono::milliseconds patience(200); // a flush follows its change at once, if one follows

static_assert(read_bytes >= UWIND_MAX_TEXT_RECORD);

} // namespace

TextChangesModule::TextChangesModule(What what)
    : what_(what), interrupted_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      records_(static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))), buffer_(read_bytes)
{
}

Status TextChangesModule::start()
{
	auto device = Device::open();
	if (!device)
		return device.error();
	const bool changes = what_ == What::MODULES_AND_CHANGES;
	constexpr std::uint32_t modules = UWIND_WATCH_MODULES | UWIND_WATCH_CONTENT;
	auto watch = watch_text((*device)->fd(), modules | (changes ? UWIND_WATCH_CHANGES : 0),
				changes ? room_of_changes : room_of_modules);
	if (!watch)
		return watch.error();
	watch_ = std::move(*watch);
	return Nothing{};
}

Result<bool> TextChangesModule::wait(std::chrono::milliseconds timeout)
{
	pollfd fds[] = {{watch_.get(), POLLIN, 0}, {interrupted_.get(), POLLIN, 0}};
	const int ready = ::poll(fds, std::size(fds), static_cast<int>(timeout.count()));
	if (ready < 0 && errno != EINTR)
		return errno_error(errno, "wait for changes of the kernel's text");
	eventfd_t times = 0;
	if (ready > 0 && fds[1].revents)
		(void)::eventfd_read(interrupted_.get(), &times);
	return ready > 0 && fds[0].revents;
}

Status TextChangesModule::read_now()
{
	const ssize_t bytes = ::read(watch_.get(), buffer_.data(), buffer_.size());
	if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
		return Nothing{};
	if (bytes < 0)
		return errno_error(errno, "read changes of the kernel's text");
	read_at_ = std::chrono::steady_clock::now();
	return records_.add({buffer_.data(), static_cast<std::size_t>(bytes)});
}

Result<std::vector<TextEvent>> TextChangesModule::read(std::chrono::milliseconds timeout)
{
	const auto ready = wait(timeout);
	if (!ready)
		return ready.error();
	if (!*ready)
		return std::chrono::steady_clock::now() - read_at_ < patience ? records_.take() : records_.take_all();
	if (auto done = read_now(); !done)
		return done.error();
	return records_.take();
}

void TextChangesModule::interrupt()
{
	(void)::eventfd_write(interrupted_.get(), 1);
}

void TextChangesModule::stop()
{
	watch_.reset();
	records_.take_all();
}

} // namespace uwind
