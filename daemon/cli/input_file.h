// SPDX-License-Identifier: GPL-2.0
// Files that verbs read: reports, and logs of the kernel's text.
#pragma once

#include <istream>
#include <memory>
#include <string>

#include "base/file_buffer.h"
#include "base/result.h"
#include "base/zstd_stream.h"
#include "model/report.h"
#include "model/text_log.h"

namespace uwind {

// Read from its beginning on. What zstd has compressed is read as it was before.
class InputFile {
public:
	// "-": standard input. Errors of opening it and of its first bytes.
	static Result<InputFile> open(const std::string& path);

	// The first byte; -1: it is empty.
	int first_byte() { return stream_->peek(); }
	// EINVAL: damaged; errors of reading and of read_json(). All with the file's name.
	Result<Report> report();
	// All of it. Errors of reading, with the file's name.
	Result<std::string> text();
	// Errors of reading and of read_text_log(), with the file's name.
	Result<TextLog> text_log();

private:
	explicit InputFile(std::string path) : path_(std::move(path)) {}
	Status check() const;

	std::string path_;
	std::unique_ptr<FileBuffer> file_;
	std::unique_ptr<ZstdReader> unpacked_; // null: it is not compressed
	std::unique_ptr<std::istream> stream_;
};

// "-": standard input
Result<std::string> contents_of(const std::string& path);
// Errors of read_json(), with the file's name.
Result<Report> report_from(const std::string& path, const std::string& text);
Result<Report> report_in(const std::string& path);
Result<TextLog> text_log_in(const std::string& path);

} // namespace uwind
