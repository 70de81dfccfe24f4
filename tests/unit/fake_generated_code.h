// SPDX-License-Identifier: GPL-2.0
// Perf maps and jitdumps in memory.
#pragma once

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <string>

#include "port/generated_code.h"

namespace uwind {

class FakeNotes : public CodeNotes {
public:
	FakeNotes(std::string text, std::string path, std::size_t most_at_once = ~std::size_t{0})
	    : text_(std::move(text)), path_(std::move(path)), most_at_once_(most_at_once)
	{
	}

	Result<std::size_t> read(std::span<std::uint8_t> into) override
	{
		const std::size_t bytes = std::min({into.size(), text_.size() - at_, most_at_once_});
		std::copy_n(text_.begin() + std::ptrdiff_t(at_), bytes, into.begin());
		at_ += bytes;
		return bytes;
	}

	std::string path() const override { return path_; }

private:
	const std::string text_, path_;
	const std::size_t most_at_once_;
	std::size_t at_ = 0;
};

// A dump's bytes.
class JitdumpBytes {
public:
	explicit JitdumpBytes(std::uint64_t flags = 0, std::uint32_t magic = 0x4a695444, std::uint32_t version = 1)
	{
		number(magic).number(version).number(std::uint32_t{40}).number(std::uint32_t{62});
		number(std::uint32_t{0}).number(std::uint32_t{7}).number(std::uint64_t{1}).number(flags);
	}

	JitdumpBytes& load(std::uint64_t time, std::uint64_t start, std::uint64_t bytes, const std::string& name,
			   std::uint64_t index = 0)
	{
		begin(0, 16 + 40 + name.size() + 1 + bytes, time);
		number(std::uint32_t{7})
			.number(std::uint32_t{8})
			.number(start)
			.number(start)
			.number(bytes)
			.number(index);
		return text(name).raw(std::string(bytes, '\xcc'));
	}

	JitdumpBytes& move(std::uint64_t time, std::uint64_t from, std::uint64_t to, std::uint64_t bytes,
			   std::uint64_t index)
	{
		begin(1, 16 + 48, time);
		number(std::uint32_t{7}).number(std::uint32_t{8}).number(to).number(from).number(to);
		return number(bytes).number(index);
	}

	struct Line {
		std::uint64_t address;
		std::uint32_t line;
		std::string file;
	};
	JitdumpBytes& lines(std::uint64_t start, const std::vector<Line>& lines)
	{
		std::size_t bytes = 16 + 16;
		for (const Line& line : lines)
			bytes += 16 + line.file.size() + 1;
		begin(2, bytes, 0).number(start).number(std::uint64_t{lines.size()});
		for (const Line& line : lines)
			number(line.address).number(line.line).number(std::uint32_t{0}).text(line.file);
		return *this;
	}

	JitdumpBytes& begin(std::uint32_t id, std::size_t bytes, std::uint64_t time)
	{
		return number(id).number(static_cast<std::uint32_t>(bytes)).number(time);
	}

	JitdumpBytes& raw(const std::string& bytes)
	{
		bytes_ += bytes;
		return *this;
	}

	operator std::string() const { return bytes_; }

private:
	template <typename T>
	JitdumpBytes& number(T value)
	{
		bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
		return *this;
	}
	JitdumpBytes& text(const std::string& text) { return raw(text + '\0'); }

	std::string bytes_;
};

class FakeGeneratedCode : public GeneratedCode {
public:
	struct Files {
		std::optional<std::string> map, dump;
		bool ended = false;
	};

	Result<std::unique_ptr<GeneratingProcess>> process(std::uint32_t pid) override
	{
		asked++;
		if (!files.contains(pid) || files[pid].ended)
			return Error{ESRCH, "gone"};
		return std::unique_ptr<GeneratingProcess>(std::make_unique<Process>(files[pid], pid));
	}

	ClockReading clocks() override { return now; }

	std::map<std::uint32_t, Files> files;
	ClockReading now;
	unsigned asked = 0;

private:
	using Opened = Result<std::unique_ptr<CodeNotes>>;
	class Process : public GeneratingProcess {
	public:
		Process(const Files& files, std::uint32_t pid) : files_(files), number_(std::to_string(pid)) {}
		Opened perf_map() override
		{
			if (!files_.map)
				return Error{ENOENT, "none"};
			return notes(*files_.map, "/tmp/perf-" + number_ + ".map");
		}
		Opened jitdump() override
		{
			if (!files_.dump)
				return std::unique_ptr<CodeNotes>();
			return notes(*files_.dump, "/tmp/jit-" + number_ + ".dump");
		}
		bool has_ended() override { return files_.ended; }

	private:
		static Opened notes(const std::string& text, std::string path)
		{
			return std::unique_ptr<CodeNotes>(std::make_unique<FakeNotes>(text, std::move(path)));
		}

		const Files& files_;
		const std::string number_;
	};
};

} // namespace uwind
