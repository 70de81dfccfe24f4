// SPDX-License-Identifier: GPL-2.0
// A perf.data file as a recording.
#include "perf_data/recording.h"

#include "perf_data/features.h"
#include "perf_data/other_records.h"
#include "perf_data/sample.h"

namespace uwind::perf_data {
namespace {

Arch arch_named(const std::string& machine)
{
	return machine == "x86_64" ? Arch::x86_64 : machine == "aarch64" ? Arch::arm64 : Arch::none;
}

} // namespace

Result<std::unique_ptr<FileRecording>> FileRecording::open(const std::string& path)
{
	auto file = FileBytes::open(path);
	if (!file)
		return file.error();
	const auto header = read_file_header(*file);
	if (!header)
		return header.error();
	auto attributes = Attributes::read(*file, *header);
	if (!attributes)
		return attributes.error();
	auto features = read_features(*file, *header, *attributes);
	if (!features)
		return features.error();
	const Arch arch = arch_named(features->machine);
	if (arch == Arch::none)
		return file->wrong("was recorded on " +
				   (features->machine.empty() ? "an unknown machine" : features->machine) +
				   ": only x86_64 and aarch64 are read");
	std::unique_ptr<FileRecording> recording(
		new FileRecording(std::move(*file), std::move(*attributes), header->data));
	recording->header_ = std::move(*features);
	recording->arch_ = arch;
	return recording;
}

void FileRecording::queue(const RawRecord& record)
{
	const Kind kind = kind_of(record.type);
	if (record.type == record_finished_round)
		sorter_.end_round();
	skipped_.unknown += kind == Kind::unknown;
	if (kind != Kind::read)
		return;
	const auto event = attributes_.event_of(record.type, record.body);
	if (const auto time = time_of(attributes_.of(event), record.type, record.body))
		last_ns_ = *time;
	sorter_.add(record, event, last_ns_);
}

// False: there was no further record.
Result<bool> FileRecording::read_on()
{
	const auto record = raw_.next();
	if (!record)
		return record.error();
	if (*record)
		queue(**record);
	else
		sorter_.end();
	skipped_.late = sorter_.late();
	return record->has_value();
}

// Nothing: it contradicts itself, which is counted.
std::optional<PerfRecord> FileRecording::parsed(const Sorter::Record& record)
{
	const Attribute& attribute = attributes_.of(record.event);
	std::optional<PerfRecord> result;
	if (record.type == PERF_RECORD_SAMPLE) {
		if (auto sample = sample_in(attribute, arch_, record.misc, record.body)) {
			sample->event = record.event;
			result = std::move(*sample);
		}
	} else {
		result = other_record_in(attribute, record);
	}
	skipped_.malformed += !result;
	return result;
}

Result<std::optional<PerfRecord>> FileRecording::next()
{
	for (bool more = true;;) {
		while (const auto record = sorter_.next())
			if (auto result = parsed(*record))
				return result;
		if (!more)
			return std::optional<PerfRecord>();
		auto read = read_on();
		if (!read)
			return read.error();
		more = *read;
	}
}

} // namespace uwind::perf_data
