// SPDX-License-Identifier: GPL-2.0
// Descriptors of UWIND_IOC_WATCH_TEXT.
#include "io/text_watch.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>

#include "io/device_call.h"
#include "uwind.h"

namespace uwind {
namespace {

constexpr char what[] = "watch the kernel's text";

Error not_watched(int code, const uwind_watch_text& request)
{
	if (code == EPERM)
		return Error{code, std::string(what) + ": permission denied: run as root, or with CAP_PERFMON"};
	if (code == ENOTTY || code == EINVAL) // an older one does not know the flag
		return Error{EPROTO, std::string(what) + ": the kernel module cannot: install the one of this release"};
	if (code == EBUSY)
		return Error{code, std::string(what) + ": " + std::to_string(UWIND_MAX_TEXT_WATCHES) +
					   " programs do so already: end one of them"};
	if (code == EOPNOTSUPP)
		return Error{code, std::string(what) + ": " +
					   std::string(request.why, strnlen(request.why, sizeof(request.why)))};
	return errno_error(code, what);
}

} // namespace

Result<UniqueFd> watch_text(int device, std::uint32_t flags, std::uint32_t bytes)
{
	uwind_watch_text request{};
	request.flags = flags;
	request.bytes = bytes;
	if (const int code = call(device, UWIND_IOC_WATCH_TEXT, request))
		return not_watched(code, request);
	UniqueFd watch(request.fd);
	if (::fcntl(watch.get(), F_SETFL, O_NONBLOCK) < 0)
		return errno_error(errno, what);
	return watch;
}

} // namespace uwind
