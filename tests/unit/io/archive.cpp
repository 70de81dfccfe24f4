// SPDX-License-Identifier: GPL-2.0
// Archives of tar and zstd, as GNU tar writes and reads them, and such as nobody should have made.
#include "io/archive.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <sstream>

#include "base/handle.h"
#include "unit/temporary_folder.h"

using namespace uwind;

namespace {

void run(const std::string& command)
{
	INFO(command);
	REQUIRE(std::system(command.c_str()) == 0);
}

std::string contents(const std::string& path)
{
	std::ostringstream text;
	text << std::ifstream(path).rdbuf();
	return text.str();
}

// What reading all of it comes to: the files' names, or the error.
std::string said_of(const std::string& path, ArchiveLimits limits = {})
{
	auto reader = ArchiveReader::open(path, limits);
	if (!reader)
		return reader.error().message;
	std::string names;
	for (;;) {
		const auto name = reader->next();
		if (!name)
			return name.error().message;
		if (!*name)
			return names;
		const auto text = reader->read(1 << 20);
		if (!text)
			return text.error().message;
		names += **name + '=' + std::to_string(text->size()) + ' ';
	}
}

// A folder with two files, and what GNU tar makes of it.
struct Packed {
	TemporaryFolder folder;
	std::string archive = folder.at("it.tar.zst");
	Packed()
	{
		std::ofstream(folder.at("one")) << "first";
		std::ofstream(folder.at("two")) << std::string(100000, 'x');
	}
	void tar(const std::string& what) const
	{
		run("cd " + folder.path.string() + " && tar --zstd -cf it.tar.zst " + what);
	}
};

} // namespace

TEST_CASE("GNU tar lists and unpacks what was written")
{
	const TemporaryFolder folder;
	const std::string path = folder.at("it.tar.zst");
	std::string large(3 << 20, 'a');
	for (std::size_t i = 0; i < large.size(); i += 7)
		large[i] = static_cast<char>(i * 31);
	std::ofstream(folder.at("large")) << large;
	{
		std::ofstream out(path);
		auto writer = ArchiveWriter::begin(out);
		REQUIRE(writer);
		const UniqueFd fd(::open(folder.at("large").c_str(), O_RDONLY | O_CLOEXEC));
		CHECK(writer->add("report.json", std::string_view("{}")));
		CHECK(writer->add(".build-id/ab/cdef", fd.get()));
		CHECK(writer->finish());
	}
	run("cd " + folder.path.string() +
	    " && tar --zstd -tf it.tar.zst >listed && mkdir there && tar --zstd -xf it.tar.zst -C there");
	CHECK(contents(folder.at("listed")) == "report.json\n.build-id/ab/cdef\n");
	run("cmp " + folder.at("large") + " " + folder.at("there/.build-id/ab/cdef"));
	CHECK(is_archive(path));
	run("zstd -q " + folder.at("large"));
	for (const std::string& other :
	     {folder.at("large"), folder.at("large.zst"), folder.path.string(), std::string("/nowhere")})
		CHECK(!is_archive(other));
}

TEST_CASE("a stream that takes no more bytes is an error of writing")
{
	std::ofstream out("/dev/full");
	auto writer = ArchiveWriter::begin(out);
	REQUIRE(writer);
	std::string noise(4 << 20, 'a');
	std::uint64_t state = 1;
	for (char& c : noise)
		c = static_cast<char>((state = state * 6364136223846793005u + 1442695040888963407u) >> 56);
	Status status = writer->add("noise", noise);
	if (status)
		status = writer->finish();
	REQUIRE(!status);
	CHECK(status.error().code == EIO);
}

TEST_CASE("what GNU tar has packed is read")
{
	const Packed packed;
	packed.tar("one two");
	CHECK(said_of(packed.archive) == "one=5 two=100000 ");
}

TEST_CASE("links, folders, devices and holes are refused")
{
	const Packed packed;
	run("cd " + packed.folder.path.string() +
	    " && ln -s /etc/passwd link && ln one hard && mkdir empty && mkfifo pipe && "
	    "truncate -s 1M holes && echo end >>holes");
	for (const std::string name : {"link", "empty", "pipe"}) {
		packed.tar(name);
		CHECK(said_of(packed.archive) ==
		      packed.archive + ": " + name + (name == "empty" ? "/" : "") + " is no regular file");
	}
	packed.tar("one hard");
	CHECK(said_of(packed.archive) == packed.archive + ": hard is no regular file");
	packed.tar("-S holes");
	CHECK(said_of(packed.archive) == packed.archive + ": holes has holes");
}

TEST_CASE("at the limits of an archive reading ends")
{
	const Packed packed;
	packed.tar("one two");
	CHECK(said_of(packed.archive, {.members = 1}) == packed.archive + " has more than 1 files");
	CHECK(said_of(packed.archive, {.members = 2, .member_bytes = 99999}) == packed.archive + ": two is too large");
	CHECK(said_of(packed.archive, {.members = 2, .member_bytes = 100000, .bytes = 100004}) ==
	      packed.archive + ": two is too large");
	CHECK(said_of(packed.archive, {.members = 2, .member_bytes = 100000, .bytes = 100005}) == "one=5 two=100000 ");
	auto reader = ArchiveReader::open(packed.archive);
	REQUIRE(reader);
	REQUIRE(reader->next());
	CHECK(!reader->read(4));
}

TEST_CASE("an archive that ends too early, or has other bytes, is damaged")
{
	const Packed packed;
	packed.tar("one two");
	const std::string whole = contents(packed.archive), cut = packed.folder.at("cut");
	for (std::size_t length = 0; length < whole.size(); length += 3) {
		INFO(length);
		std::ofstream(cut) << whole.substr(0, length);
		CHECK(said_of(cut).find(cut + " is damaged: ") == 0);
	}
	std::string other = whole;
	other[other.size() / 2] ^= 0x20;
	std::ofstream(cut) << other;
	CHECK(said_of(cut).find(cut) == 0);
	std::ofstream(cut) << "no archive";
	CHECK(said_of(cut).find(cut + " is damaged: ") == 0);
	run("cd " + packed.folder.path.string() + " && tar -czf cut one");
	CHECK(said_of(cut).find(cut + " is damaged: ") == 0);
	CHECK(!ArchiveReader::open("/nowhere"));
}
