// SPDX-License-Identifier: GPL-2.0
// /dev/uwind: opens it; tables and statistics.
#include "io/device.h"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "base/text.h"
#include "io/device_call.h"
#include "uwind.h"

namespace uwind {

static_assert(sizeof(Rule) == sizeof(uwind_rule));
static_assert(offsetof(Rule, kind) == offsetof(uwind_rule, kind));
static_assert(offsetof(Rule, cfa_kind) == offsetof(uwind_rule, cfa_kind));
static_assert(offsetof(Rule, cfa_reg) == offsetof(uwind_rule, cfa_reg));
static_assert(offsetof(Rule, ra_place) == offsetof(uwind_rule, ra_place));
static_assert(offsetof(Rule, ra_reg) == offsetof(uwind_rule, ra_reg));
static_assert(offsetof(Rule, fp_place) == offsetof(uwind_rule, fp_place));
static_assert(offsetof(Rule, fp_reg) == offsetof(uwind_rule, fp_reg));
static_assert(offsetof(Rule, cfa_off) == offsetof(uwind_rule, cfa_off));
static_assert(offsetof(Rule, cfa_add) == offsetof(uwind_rule, cfa_add));
static_assert(offsetof(Rule, ra_off) == offsetof(uwind_rule, ra_off));
static_assert(offsetof(Rule, fp_off) == offsetof(uwind_rule, fp_off));
static_assert(sizeof(Row) == sizeof(uwind_row));
static_assert(offsetof(Row, start) == offsetof(uwind_row, start));
static_assert(offsetof(Row, rule) == offsetof(uwind_row, rule));
static_assert(sizeof(Segment) == sizeof(uwind_segment));
static_assert(offsetof(Segment, address) == offsetof(uwind_segment, address));
static_assert(offsetof(Segment, bytes) == offsetof(uwind_segment, bytes));
static_assert(offsetof(Segment, offset) == offsetof(uwind_segment, offset));
static_assert(unsigned(Stop::KILLED) == UWIND_STOP_KILLED);
static_assert(number_of_stops == UWIND_NR_STOPS);
static_assert(number_of_methods == UWIND_NR_METHODS);
static_assert(number_of_losses == UWIND_NR_LOSSES);
static_assert(unsigned(Arch::x86_64) == UWIND_ARCH_X86_64);
static_assert(unsigned(Arch::arm64) == UWIND_ARCH_ARM64);
static_assert(unsigned(Arch::i386) == UWIND_ARCH_I386);
static_assert(unsigned(Arch::arm) == UWIND_ARCH_ARM);

namespace {

Error open_error(int code)
{
	if (code == ENOENT || code == ENXIO || code == ENODEV)
		return Error{ENXIO, "the kernel module is not loaded: run `modprobe uwind`"};
	if (code == EACCES || code == EPERM)
		return Error{
			EPERM,
			std::string(UWIND_DEVICE) +
				": permission denied: join its group (`adduser USER uwind`, then log in again) to see "
				"your own processes, or run as root to see all"};
	return errno_error(code, UWIND_DEVICE);
}

Error abi_error(unsigned abi, const std::string& module)
{
	return Error{EPROTO, "the kernel module speaks ABI " + std::to_string(abi) +
				     (module.empty() ? "" : " (version " + module + ")") + ", this program ABI " +
				     std::to_string(UWIND_ABI_VERSION) +
				     " (version " UWIND_VERSION "): install the two from one release"};
}

uwind_table_create request_for(const SframeSection& section)
{
	uwind_table_create request{};
	request.source = UWIND_SOURCE_SFRAME_BYTES;
	request.data = user_pointer(section.bytes.data());
	request.data_bytes = section.bytes.size();
	request.address = section.address;
	request.segments = user_pointer(section.segments.data());
	request.nr_segments = section.segments.size();
	return request;
}

uwind_table_create request_for(const TableRows& rows)
{
	uwind_table_create request{};
	request.source = UWIND_SOURCE_ROWS;
	request.data = user_pointer(rows.rows.data());
	request.data_bytes = rows.rows.size() * sizeof(Row);
	request.rules = user_pointer(rows.rules.data());
	request.nr_rules = rows.rules.size();
	request.method = rows.method;
	request.arch = unsigned(rows.arch);
	return request;
}

Error create_error(int code, const uwind_table_create& request)
{
	if (code == EBADMSG)
		return Error{code,
			     "bad .sframe section at byte " + std::to_string(request.bad_offset) + ": " +
				     std::string(request.bad_why, strnlen(request.bad_why, sizeof(request.bad_why)))};
	if (code == ENOSPC)
		return Error{code, "the module's budget for tables is used up: raise its parameter "
				   "(see `modinfo uwind`) or record fewer programs"};
	return errno_error(code, "create table");
}

} // namespace

Result<std::unique_ptr<Device>> Device::open()
{
	UniqueFd fd(::open(UWIND_DEVICE, O_RDWR | O_CLOEXEC));
	if (!fd)
		return open_error(errno);
	std::unique_ptr<Device> device(new Device(std::move(fd)));
	if (auto checked = device->check_abi(); !checked)
		return checked.error();
	return device;
}

Status Device::check_abi()
{
	uwind_abi abi{};
	if (const int code = call(fd_.get(), UWIND_IOC_ABI, abi))
		return code == ENOTTY ? abi_error(0, "") : errno_error(code, "read the module's ABI");
	version_.abi = abi.version;
	version_.version = std::string(abi.module, strnlen(abi.module, sizeof(abi.module)));
	version_.arch = abi.arch <= UWIND_ARCH_ARM64 ? Arch(abi.arch) : Arch::none;
	if (abi.version != UWIND_ABI_VERSION)
		return abi_error(abi.version, version_.version);
	return Nothing{};
}

Result<MadeTable> Device::create_table(const TableContent& content)
{
	auto request = std::visit([](const auto& source) { return request_for(source); }, content);
	request.pidfd = -1;
	if (const int code = call(fd_.get(), UWIND_IOC_TABLE_CREATE, request))
		return create_error(code, request);
	MadeTable made;
	made.table = request.table;
	made.rows = request.nr_rows;
	made.bytes = request.bytes;
	made.method = method_of(content);
	return made;
}

Status Device::destroy_table(std::uint32_t table)
{
	uwind_table_destroy request{};
	request.table = table;
	if (const int code = call(fd_.get(), UWIND_IOC_TABLE_DESTROY, request))
		return errno_error(code, "destroy table " + std::to_string(table));
	return Nothing{};
}

Status Device::tie(std::uint32_t table, int fd, std::uint32_t flags)
{
	uwind_table_tie request{};
	request.table = table;
	request.fd = fd;
	request.flags = flags;
	if (const int code = call(fd_.get(), UWIND_IOC_TABLE_TIE, request))
		return errno_error(code, "tie table " + std::to_string(table));
	return Nothing{};
}

Status Device::tie_table(std::uint32_t table, int fd)
{
	return tie(table, fd, 0);
}

Status Device::tie_table_to_vdso(std::uint32_t table)
{
	return tie(table, -1, UWIND_TIE_VDSO);
}

Result<std::vector<TableInfo>> Device::tables()
{
	std::vector<TableInfo> tables;
	std::uint32_t after = 0;
	for (;;) {
		char path[4096] = "";
		uwind_table_next next{};
		next.after = after;
		next.path = user_pointer(path);
		next.path_bytes = sizeof(path);
		if (const int code = call(fd_.get(), UWIND_IOC_TABLE_NEXT, next))
			return errno_error(code, "list tables");
		if (next.table <= after)
			return tables;
		after = next.table;
		tables.push_back({next.table, Method(next.method), next.nr_rows, next.nr_rules, next.bytes,
				  next.owner_pid, next.file, std::string(path, strnlen(path, sizeof(path)))});
	}
}

Result<ModuleStats> Device::module_stats()
{
	uwind_stats raw{};
	if (const int code = call(fd_.get(), UWIND_IOC_STATS, raw))
		return errno_error(code, "read the module's statistics");
	ModuleStats stats;
	stats.tables = raw.nr_tables;
	stats.table_bytes = raw.table_bytes;
	stats.table_budget_bytes = raw.table_budget_bytes;
	stats.tables_refused = raw.tables_refused;
	stats.tables_distrusted = raw.tables_distrusted;
	stats.shadow_checked = raw.shadow_checked;
	stats.text_reported = raw.text_reported;
	stats.text_lost = raw.text_lost;
	stats.files = raw.nr_files;
	stats.spaces = raw.nr_spaces;
	stats.sessions = raw.nr_sessions;
	stats.requests_open = raw.nr_requests_open;
	stats.requested = raw.requested;
	stats.answered = raw.answered;
	stats.lost = counts<Loss, number_of_losses>(raw.lost);
	stats.stops = counts<Stop, number_of_stops>(raw.stops);
	stats.frames = raw.frames;
	stats.files_refused = raw.files_refused;
	stats.sections_refused = raw.sections_refused;
	stats.children_missed = raw.children_missed;
	stats.periods_missed = raw.periods_missed;
	stats.throttled = raw.throttled;
	stats.counters_failed = raw.counters_failed;
	return stats;
}

} // namespace uwind
