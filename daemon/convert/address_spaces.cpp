// SPDX-License-Identifier: GPL-2.0
// What each process maps, at the moment of the record that was taken last.
#include "convert/address_spaces.h"

namespace uwind {
namespace {

void cut_begin(RecordedCode& code, RecordedCode::iterator old, std::uint64_t to)
{
	RecordedMapping rest = std::move(old->second);
	code.erase(old);
	rest.mapping.pgoff += to - rest.mapping.start;
	rest.mapping.start = to;
	code.emplace(to, std::move(rest));
}

// What was mapped there is not mapped any more.
void clear(RecordedCode& code, std::uint64_t start, std::uint64_t end)
{
	auto old = code.upper_bound(start);
	if (old != code.begin())
		--old;
	while (old != code.end() && old->second.mapping.start < end) {
		const auto next = std::next(old);
		const Mapping was = old->second.mapping;
		if (was.end > start && was.end > end && was.start < start) { // two pieces stay
			RecordedMapping first = old->second;
			first.mapping.end = start;
			cut_begin(code, old, end);
			code.emplace(was.start, std::move(first));
		} else if (was.end > end) {
			cut_begin(code, old, end);
		} else if (was.end > start && was.start < start) {
			old->second.mapping.end = start;
		} else if (was.end > start) {
			code.erase(old);
		}
		old = next;
	}
}

} // namespace

RecordedMapping* mapping_at(RecordedCode& code, std::uint64_t address)
{
	auto found = code.upper_bound(address);
	if (found == code.begin())
		return nullptr;
	--found;
	return address < found->second.mapping.end ? &found->second : nullptr;
}

RecordedImage* AddressSpaces::of(std::uint32_t pid)
{
	const auto known = images_.find(pid);
	if (known != images_.end())
		return &known->second;
	if (images_.size() >= limits_.processes) {
		not_kept_++;
		return nullptr;
	}
	RecordedImage& image = images_[pid];
	image.pid = pid;
	return &image;
}

void AddressSpaces::drop_code(RecordedImage& image)
{
	if (image.code.use_count() == 1)
		mappings_ -= image.code->size();
	image.code = std::make_shared<RecordedCode>();
}

// A child has changed what it shares. Null: there is no room for another copy.
RecordedCode* AddressSpaces::own_code(RecordedImage& image)
{
	const bool is_shared = image.code.use_count() > 1;
	const std::size_t more = is_shared ? image.code->size() + 2 : 2;
	if (mappings_ + more > limits_.mappings) {
		not_kept_++;
		return nullptr;
	}
	if (is_shared) {
		image.code = std::make_shared<RecordedCode>(*image.code);
		mappings_ += image.code->size();
	}
	return image.code.get();
}

// Memory that cannot be executed replaces what could be.
void AddressSpaces::take(const PerfMapping& record)
{
	if (record.kernel || record.mapping.end <= record.mapping.start)
		return;
	RecordedImage* image = of(record.pid);
	RecordedCode* code = image ? own_code(*image) : nullptr;
	if (!code)
		return;
	const std::size_t before = code->size();
	clear(*code, record.mapping.start, record.mapping.end);
	if (record.executable) {
		code->emplace(record.mapping.start, RecordedMapping{record.mapping, record.build_id});
		if (image->exe.empty() && record.mapping.path.starts_with('/') &&
		    !record.mapping.path.starts_with("//"))
			image->exe = record.mapping.path;
	}
	mappings_ += code->size() - before;
}

void AddressSpaces::begin_again(RecordedImage& image)
{
	drop_code(image);
	image.exe.clear();
	image.has_exited = false;
}

void AddressSpaces::take(const PerfName& record)
{
	RecordedImage* image = of(record.pid);
	if (!image)
		return;
	if (record.exec) {
		begin_again(*image);
		image->exec_id++;
	}
	if (record.exec || record.tid == record.pid)
		image->comm = record.comm;
}

// A thread of the same process shares all. The number may have been another process's.
void AddressSpaces::take(const PerfFork& record)
{
	if (record.pid == record.parent)
		return;
	RecordedImage* image = of(record.pid);
	const RecordedImage* parent = of(record.parent);
	if (!image || !parent)
		return;
	begin_again(*image);
	image->start_time_ns = record.before ? 0 : record.time_ns;
	image->exec_id = 0;
	image->comm = parent->comm;
	if (record.before)
		return;
	image->exe = parent->exe;
	image->code = parent->code;
}

// What it mapped is still known for a while: others of its threads may go on.
void AddressSpaces::take(const PerfExit& record)
{
	const auto known = images_.find(record.pid);
	if (record.tid != record.pid || known == images_.end())
		return;
	known->second.has_exited = true;
	exited_.push_back(record.pid);
	if (exited_.size() <= limits_.exited)
		return;
	const std::uint32_t pid = exited_.front();
	exited_.pop_front();
	if (const auto found = images_.find(pid); found != images_.end() && found->second.has_exited) {
		drop_code(found->second);
		images_.erase(found);
	}
}

} // namespace uwind
