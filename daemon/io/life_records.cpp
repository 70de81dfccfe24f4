// SPDX-License-Identifier: GPL-2.0
// From the bytes of a record in the BPF programs' ring buffer to what it tells.
#include "io/life_records.h"

#include <cstring>

#include "base/text.h"
#include "bpf/life_record.h"

namespace uwind {
namespace {

// Nothing: there are fewer bytes.
template <typename T>
std::optional<T> copy_of(Bytes bytes)
{
	if (bytes.size() < sizeof(T))
		return std::nullopt;
	T value;
	std::memcpy(&value, bytes.data(), sizeof(value));
	return value;
}

template <typename T>
T begin(const life_head& head)
{
	T event;
	event.image = {head.tgid, head.start_ns, head.exec_id};
	event.time_ns = head.time_ns;
	return event;
}

std::string text_of(const char (&comm)[LIFE_COMM_BYTES])
{
	return std::string(comm, strnlen(comm, sizeof(comm)));
}

// "/a/b"; what lies in no folder is called as it is.
std::string path_of(const life_path& path)
{
	if (path.bytes > sizeof(path.names))
		return "";
	const auto names = strings_in({path.names, path.bytes});
	if (!path.is_whole)
		return names.size() == 1 ? "/" + names.front() : "";
	std::string result;
	for (auto name = names.rbegin(); name != names.rend(); ++name)
		result += "/" + *name;
	return result.empty() ? "/" : result;
}

LifeRecord told(const life_fork& raw)
{
	auto event = begin<ProcessForked>(raw.head);
	event.parent = {raw.parent_tgid, raw.parent_start_ns, raw.parent_exec_id};
	event.namespace_pid = raw.ns_pid;
	event.comm = text_of(raw.comm);
	return event;
}

LifeRecord told(const life_exec& raw)
{
	auto event = begin<ProcessExecuted>(raw.head);
	event.parent_pid = raw.parent_tgid;
	event.namespace_pid = raw.ns_pid;
	event.mount_namespace = raw.mount_namespace;
	event.comm = text_of(raw.comm);
	if (raw.argument_bytes <= sizeof(raw.arguments))
		event.arguments = strings_in({raw.arguments, raw.argument_bytes});
	event.exe = path_of(raw.exe);
	event.cgroup = path_of(raw.cgroup);
	return event;
}

LifeRecord told(const life_exit& raw)
{
	return begin<ProcessExited>(raw.head);
}

LifeRecord told(const life_comm& raw)
{
	auto event = begin<ProcessRenamed>(raw.head);
	event.comm = text_of(raw.comm);
	return event;
}

LifeRecord told(const life_map& raw)
{
	auto event = begin<FileMapped>(raw.head);
	event.mapping = {raw.start, raw.end, raw.offset, raw.dev_major, raw.dev_minor, raw.inode, path_of(raw.path)};
	return event;
}

template <typename T>
std::optional<LifeRecord> read(Bytes bytes)
{
	const auto raw = copy_of<T>(bytes);
	return raw ? std::optional(told(*raw)) : std::nullopt;
}

} // namespace

std::optional<LifeRecord> life_record_in(Bytes bytes)
{
	const auto head = copy_of<life_head>(bytes);
	switch (head ? head->kind : 0) {
	case LIFE_FORK:
		return read<life_fork>(bytes);
	case LIFE_EXEC:
		return read<life_exec>(bytes);
	case LIFE_EXIT:
		return read<life_exit>(bytes);
	case LIFE_COMM:
		return read<life_comm>(bytes);
	case LIFE_MAP:
		return read<life_map>(bytes);
	default:
		return std::nullopt;
	}
}

} // namespace uwind
