// SPDX-License-Identifier: GPL-2.0
// What verbs write: to a file, or to standard output.
#include "cli/output.h"

#include <cerrno>
#include <iostream>

#include "base/text.h"
#include "base/zstd_stream.h"
#include "export/json.h"
#include "export/otlp.h"
#include "export/perf_data.h"
#include "export/pprof.h"
#include "io/output_file.h"

namespace uwind {
namespace {

constexpr std::string_view compressed_end = ".zst";

void write_compressed(std::ostream& out, const std::function<void(std::ostream&)>& writer)
{
	ZstdWriter packed(*out.rdbuf());
	std::ostream plain(&packed);
	writer(plain);
	if (!packed.finish() || !plain)
		out.setstate(std::ios::badbit);
}

} // namespace

Status write_unless_failed(const std::string& path, const std::function<Status(std::ostream&)>& writer)
{
	if (path == "-") {
		const Status written = writer(std::cout);
		std::cout.flush();
		return !written || std::cout ? written : Status(errno_error(EIO, "standard output"));
	}
	auto output = OutputFile::create(path, 0600, OutputFile::Older::replace);
	if (!output)
		return output.error();
	Status made = Nothing{};
	const auto written = output->write([&](std::ostream& out) { made = writer(out); });
	if (!written)
		return written;
	return made ? output->commit() : made;
}

Status write_to(const std::string& path, const std::function<void(std::ostream&)>& writer)
{
	return write_unless_failed(path, [&](std::ostream& out) -> Status {
		if (path.ends_with(compressed_end))
			write_compressed(out, writer);
		else
			writer(out);
		return Nothing{};
	});
}

ReportWriter writer_of(const std::string& path)
{
	static constexpr struct {
		const char* end;
		void (*write)(const Report&, std::ostream&);
	} forms[] = {{".perf.data", write_perf_data},
		     {".pb.gz", write_pprof},
		     {".pprof", write_pprof},
		     {".otlp", write_otlp},
		     {".otlp.json", write_otlp_json}};
	const std::string name = '.' + std::string(basename_of(path)); // "perf.data" alone is such a name, too
	if (name.ends_with(compressed_end))
		return [write = writer_of(name.substr(0, name.size() - compressed_end.size()))](const Report& report,
												std::ostream& out) {
			write_compressed(out, [&](std::ostream& plain) { write(report, plain); });
		};
	for (const auto& form : forms)
		if (name.ends_with(form.end))
			return form.write;
	return write_json;
}

} // namespace uwind
