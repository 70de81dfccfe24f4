// SPDX-License-Identifier: GPL-2.0
// Samples in pprof's format. Protobuf joins what is written one after the other: so the file is written piece by piece,
// each of them a profile of few entries.
#include "export/pprof.h"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "export/addresses.h"
#include "export/inlined.h"
#include "export/json_text.h"
#include "export/losses.h"
#include "export/mappings.h"
#include "export/measures.h"
#include "export/pprof.pb.h"
#include "export/rows.h"
#include "export/wall_clock.h"

namespace uwind {
namespace {

std::string text_of(const Reasons& reasons)
{
	std::string text;
	for (const auto& [name, count] : reasons)
		text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
	return text;
}

// What pprof's format has no other place for.
std::vector<std::string> comments_of(const Report& report)
{
	const Host& host = report.host;
	std::vector<std::string> comments = {"uwind " + host.uwind + ": " + report.session.target + " on " +
					     host.hostname + ", Linux " + host.kernel + " (" + host.arch + ")"};
	if (const std::string lost = text_of(lost_requests(report)); !lost.empty())
		comments.push_back("without a stack, and left out: " + lost);
	if (const std::string stops = text_of(incomplete_stacks(report)); !stops.empty())
		comments.push_back("stacks that are not complete: " + stops);
	return comments;
}

class PprofWriter {
public:
	PprofWriter(const Report& report, google::protobuf::io::ZeroCopyOutputStream& out)
	    : report_(report), out_(out), mappings_(report), measures_(measures_of(report)),
	      columns_(events_of(report).size()), used_(2 * report.frames.size())
	{
		string("");
	}

	void write();

private:
	struct Function {
		std::int64_t name = 0, file = 0; // strings
	};
	struct FileMapping {
		Mapped mapped;
		bool has_functions = false, has_filenames = false, has_line_numbers = false, has_inline_frames = false;
	};

	void put(const pprof::Profile& part) { part.SerializeToZeroCopyStream(&out_); }
	std::int64_t string(const std::string& text);
	void set(pprof::ValueType& type, const std::string& name, const std::string& unit);
	void put_head();
	void put_samples();
	void add_values(const ReportSample& sample, pprof::Sample& row) const;
	void add_labels(const ReportSample& sample, pprof::Sample& row);
	pprof::Label& add_label(pprof::Sample& row, const char* key);
	void add_frames(const ReportStack& stack, pprof::Sample& row);
	void put_locations();
	void add_location(Index index, bool is_return, pprof::Profile& part);
	std::size_t mapping(const ReportFrame& frame, bool is_return, const std::vector<ReportInlined>& functions);
	std::uint64_t function(const ReportInlined& function);
	void put_tables();

	const Report& report_;
	google::protobuf::io::ZeroCopyOutputStream& out_;
	const Mappings mappings_;
	const std::vector<Measure> measures_;
	std::vector<int> columns_; // by event: its first value
	std::vector<bool> used_;   // by location: samples have it
	Rows<std::string, std::string> strings_;
	Rows<Mapped, FileMapping> files_;
	Rows<std::tuple<std::int64_t, std::int64_t>, Function> functions_;
};

std::int64_t PprofWriter::string(const std::string& text)
{
	return static_cast<std::int64_t>(strings_.of(text, [&] { return utf8(text); }));
}

void PprofWriter::set(pprof::ValueType& type, const std::string& name, const std::string& unit)
{
	type.set_type(string(name));
	type.set_unit(string(unit));
}

void PprofWriter::put_head()
{
	pprof::Profile part;
	for (const Measure& measure : measures_) {
		columns_[measure.event] = part.sample_type_size();
		set(*part.add_sample_type(), measure.name + "_samples", "count");
		if (measure.has_periods)
			set(*part.add_sample_type(), measure.name, measure.unit());
	}
	const Measure& first = measures_.front();
	part.set_default_sample_type(string(first.has_periods ? first.name : first.name + "_samples"));
	set(*part.mutable_period_type(), first.name, first.unit());
	part.set_period(as_signed(first.period));
	part.set_time_nanos(as_signed(WallClock(report_).started_ns()));
	part.set_duration_nanos(as_signed(report_.session.duration_ns));
	for (const std::string& comment : comments_of(report_))
		part.add_comment(string(comment));
	put(part);
}

// Those of other events are 0.
void PprofWriter::add_values(const ReportSample& sample, pprof::Sample& row) const
{
	for (const Measure& measure : measures_)
		for (int i = 0; i <= int(measure.has_periods); i++)
			row.add_value(0);
	const int column = columns_[event_index(report_, sample)];
	row.set_value(column, sample.weight);
	for (const Measure& measure : measures_)
		if (measure.event == event_index(report_, sample) && measure.has_periods)
			row.set_value(column + 1, as_signed(*sample.period));
}

pprof::Label& PprofWriter::add_label(pprof::Sample& row, const char* key)
{
	pprof::Label& label = *row.add_label();
	label.set_key(string(key));
	return label;
}

// The number 0 is no label to Go's pprof: CPUs are texts.
void PprofWriter::add_labels(const ReportSample& sample, pprof::Sample& row)
{
	add_label(row, "pid").set_num(sample.pid);
	add_label(row, "tid").set_num(sample.tid);
	add_label(row, "cpu").set_str(string(std::to_string(sample.cpu)));
	add_label(row, "comm").set_str(string(report_.processes[sample.process].comm));
	pprof::Label& time = add_label(row, "timestamp_ns");
	time.set_num(as_signed(sample.time_ns));
	time.set_num_unit(string("nanoseconds"));
	if (sample.off_cpu)
		add_label(row, "off_cpu").set_str(string(report_.off_cpu[*sample.off_cpu].reason));
}

// A location's id is that of its frame, twice, and whether it is in a call; none is 0.
void PprofWriter::add_frames(const ReportStack& stack, pprof::Sample& row)
{
	for (std::size_t i = 0; i < stack.frames.size(); i++) {
		const std::size_t location = 2 * std::size_t{stack.frames[i]} + (is_return(stack, i) ? 1 : 0);
		used_[location] = true;
		row.add_location_id(location + 1);
	}
}

void PprofWriter::put_samples()
{
	pprof::Profile part;
	pprof::Sample& row = *part.add_sample();
	for (const ReportSample& sample : report_.samples) {
		if (!sample.has_stack())
			continue;
		row.Clear();
		for (const auto& stack : {sample.kernel_stack, sample.user_stack})
			if (stack)
				add_frames(report_.stacks[*stack], row);
		add_values(sample, row);
		add_labels(sample, row);
		put(part);
	}
}

std::uint64_t PprofWriter::function(const ReportInlined& function)
{
	const Function row{string(function.symbol), string(function.source.file)};
	return functions_.of({row.name, row.file}, [&] { return row; }) + 1;
}

// Says for which of its locations readers need not look for more.
std::size_t PprofWriter::mapping(const ReportFrame& frame, bool is_return, const std::vector<ReportInlined>& functions)
{
	const Mapped mapped = mappings_.of(frame, address_in_code(frame, is_return));
	const std::size_t number = files_.of(mapped, [&] { return FileMapping{mapped}; });
	FileMapping& file = files_.at(number);
	file.has_functions = file.has_functions || frame.symbol;
	file.has_filenames = file.has_filenames || (frame.source && !frame.source->file.empty());
	file.has_line_numbers = file.has_line_numbers || (frame.source && frame.source->line);
	file.has_inline_frames = file.has_inline_frames || functions.size() > 1;
	return number;
}

void PprofWriter::add_location(Index index, bool is_return, pprof::Profile& part)
{
	const ReportFrame& frame = report_.frames[index];
	const auto functions = functions_at(report_, index);
	pprof::Location& row = *part.add_location();
	row.set_id(2 * std::uint64_t{index} + (is_return ? 1 : 0) + 1);
	row.set_address(address_in_code(frame, is_return));
	if (frame.module)
		row.set_mapping_id(mapping(frame, is_return, functions) + 1);
	for (const ReportInlined& inlined : functions) {
		pprof::Line& line = *row.add_line();
		line.set_function_id(function(inlined));
		line.set_line(inlined.source.line);
	}
}

void PprofWriter::put_locations()
{
	pprof::Profile part;
	for (std::size_t location = 0; location < used_.size(); location++) {
		if (!used_[location])
			continue;
		part.Clear();
		add_location(static_cast<Index>(location / 2), location % 2 != 0, part);
		put(part);
	}
}

// What locations name; strings at last.
void PprofWriter::put_tables()
{
	pprof::Profile part;
	for (const FileMapping& file : files_.all()) {
		pprof::Mapping& row = *part.add_mapping();
		row.set_id(static_cast<std::uint64_t>(part.mapping_size()));
		row.set_memory_start(file.mapped.address);
		row.set_memory_limit(file.mapped.address + file.mapped.bytes);
		row.set_file_offset(file.mapped.file_offset);
		row.set_filename(string(report_.modules[file.mapped.module].path));
		row.set_build_id(string(report_.modules[file.mapped.module].build_id));
		row.set_has_functions(file.has_functions);
		row.set_has_filenames(file.has_filenames);
		row.set_has_line_numbers(file.has_line_numbers);
		row.set_has_inline_frames(file.has_inline_frames);
	}
	for (const Function& function : functions_.all()) {
		pprof::Function& row = *part.add_function();
		row.set_id(static_cast<std::uint64_t>(part.function_size()));
		row.set_name(function.name);
		row.set_filename(function.file);
	}
	for (const std::string& text : strings_.all())
		part.add_string_table(text);
	put(part);
}

void PprofWriter::write()
{
	put_head();
	put_samples();
	put_locations();
	put_tables();
}

} // namespace

void write_pprof(const Report& report, std::ostream& out)
{
	google::protobuf::io::OstreamOutputStream raw(&out);
	google::protobuf::io::GzipOutputStream packed(&raw);
	PprofWriter(report, packed).write();
}

} // namespace uwind
