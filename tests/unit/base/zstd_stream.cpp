// SPDX-License-Identifier: GPL-2.0
// What zstd has compressed: beside zstd(1), damaged, cut short, and longer than it may be.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include "base/zstd_stream.h"
#include "unit/skipped.h"
#include "unit/temporary_folder.h"

using namespace uwind;

namespace {

std::string any_text(std::size_t bytes)
{
	std::mt19937 random(1);
	std::string text;
	while (text.size() < bytes)
		text += "number " + std::to_string(random() % 10'000) + "\n";
	return text;
}

std::string compressed(const std::string& text)
{
	std::stringbuf out;
	ZstdWriter writer(out);
	std::ostream(&writer) << text;
	CHECK(writer.finish());
	return out.str();
}

struct Plain {
	std::string text, error;
};

Plain plain(const std::string& packed, std::uint64_t limit = ZstdReader::most_bytes)
{
	std::stringbuf in(packed);
	ZstdReader reader(in, limit);
	Plain result;
	result.text.assign(std::istreambuf_iterator<char>(&reader), {});
	result.error = reader.error();
	return result;
}

std::string contents(const std::string& path)
{
	std::ifstream file(path, std::ios::binary);
	return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("zstd(1) reads what was compressed, and what it has compressed is read")
{
	if (std::system("command -v zstd >/dev/null")) {
		skipped("there is no zstd");
		return;
	}
	const TemporaryFolder folder;
	for (const std::size_t bytes : {0, 1, 200'000, 3'000'000}) {
		const std::string text = any_text(bytes);
		std::ofstream(folder.at("ours.zst"), std::ios::binary) << compressed(text);
		std::ofstream(folder.at("plain"), std::ios::binary) << text;
		REQUIRE(std::system(("cd " + folder.path.string() +
				     " && zstd -q -d ours.zst && cmp ours plain && "
				     "zstd -q -f plain -o theirs.zst && rm ours")
					    .c_str()) == 0);
		CHECK(plain(contents(folder.at("theirs.zst"))).text == text);
		CHECK(plain(compressed(text) + compressed("more")).text == text + "more");
	}
}

TEST_CASE("what is damaged, cut short or too long ends there, with a reason")
{
	const std::string text = any_text(300'000), packed = compressed(text);
	CHECK(plain(packed).text == text);
	CHECK(plain(packed).error.empty());
	CHECK(plain("").error.empty());
	const Plain cut = plain(packed.substr(0, packed.size() / 2));
	CHECK(text.starts_with(cut.text));
	CHECK(cut.error == "it ends too early");
	std::string damaged = packed;
	damaged[packed.size() / 2] ^= 1;
	CHECK_FALSE(plain(damaged).error.empty());
	CHECK(plain("no zstd").error == "Unknown frame descriptor");
	CHECK(plain(packed, text.size()).error.empty());
	CHECK(plain(packed, text.size() - 1).error == "more than " + std::to_string(text.size() - 1) + " bytes");
}

TEST_CASE("who cannot write what is compressed is told")
{
	struct Full : std::streambuf {
	} full;
	ZstdWriter writer(full);
	std::ostream out(&writer);
	out << any_text(1'000'000);
	out.flush();
	CHECK((!out || !writer.finish()));
}
