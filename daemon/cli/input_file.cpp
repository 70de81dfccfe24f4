// SPDX-License-Identifier: GPL-2.0
// Files that verbs read: reports, and logs of the kernel's text.
#include "cli/input_file.h"

#include <cerrno>
#include <iterator>

#include "export/json.h"
#include "export/text_log.h"

namespace uwind {

// Neither JSON nor a log begins as what zstd has compressed does.
Result<InputFile> InputFile::open(const std::string& path)
{
	constexpr int first_of_zstd = 0x28;
	InputFile file(path);
	file.file_ = std::make_unique<FileBuffer>(path);
	std::streambuf* buffer = file.file_.get();
	if (buffer->sgetc() == first_of_zstd) {
		file.unpacked_ = std::make_unique<ZstdReader>(*buffer);
		buffer = file.unpacked_.get();
	}
	file.stream_ = std::make_unique<std::istream>(buffer);
	file.first_byte();
	file.stream_->clear();
	if (Status opened = file.check(); !opened)
		return opened.error();
	return file;
}

Status InputFile::check() const
{
	if (file_->error())
		return errno_error(file_->error(), path_);
	if (unpacked_ && !unpacked_->error().empty())
		return Error{EINVAL, path_ + " is damaged, or not compressed by zstd: " + unpacked_->error()};
	return Nothing{};
}

Result<Report> InputFile::report()
{
	auto report = read_json(*stream_);
	if (Status read = check(); !read)
		return read.error();
	if (!report)
		return report.error(path_);
	return report;
}

Result<std::string> InputFile::text()
{
	std::string text{std::istreambuf_iterator<char>(*stream_), {}};
	if (Status read = check(); !read)
		return read.error();
	return text;
}

Result<TextLog> InputFile::text_log()
{
	const auto bytes = text();
	if (!bytes)
		return bytes.error();
	auto log = read_text_log(Bytes(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()));
	if (!log)
		return log.error(path_);
	return log;
}

Result<std::string> contents_of(const std::string& path)
{
	auto file = InputFile::open(path);
	return file ? file->text() : file.error();
}

Result<Report> report_from(const std::string& path, const std::string& text)
{
	auto report = read_json(text);
	if (!report)
		return report.error(path);
	return report;
}

Result<Report> report_in(const std::string& path)
{
	auto file = InputFile::open(path);
	return file ? file->report() : file.error();
}

Result<TextLog> text_log_in(const std::string& path)
{
	auto file = InputFile::open(path);
	return file ? file->text_log() : file.error();
}

} // namespace uwind
