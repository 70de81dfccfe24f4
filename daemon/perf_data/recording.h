// SPDX-License-Identifier: GPL-2.0
// A perf.data file as a recording.
#pragma once

#include "perf_data/attributes.h"
#include "perf_data/raw_records.h"
#include "perf_data/sorter.h"
#include "port/perf_recording.h"

namespace uwind::perf_data {

class FileRecording : public PerfRecording {
public:
	// EINVAL: it is no file that can be read, or another machine's; with what to do.
	static Result<std::unique_ptr<FileRecording>> open(const std::string& path);

	const PerfHeader& header() const override { return header_; }
	Result<std::optional<PerfRecord>> next() override;
	const PerfSkipped& skipped() const override { return skipped_; }

private:
	FileRecording(FileBytes file, Attributes attributes, const Part& data)
	    : file_(std::move(file)), attributes_(std::move(attributes)), raw_(file_, data)
	{
	}

	Result<bool> read_on();
	void queue(const RawRecord& record);
	std::optional<PerfRecord> parsed(const Sorter::Record& record);

	const FileBytes file_;
	const Attributes attributes_;
	PerfHeader header_;
	Arch arch_ = Arch::none;
	RawRecords raw_;
	Sorter sorter_;
	std::uint64_t last_ns_ = 0; // of the record before, for those without a time
	PerfSkipped skipped_;
};

} // namespace uwind::perf_data
