// SPDX-License-Identifier: GPL-2.0
// Any bytes as a jitdump, and as one whose header is good: code does not go beyond the last address, texts lie within
// the bytes, and reading it in pieces finds the same. The first byte says how large pieces are.
#include <cstdlib>

#include "jit/jitdump.h"
#include "unit/fake_generated_code.h"

namespace {

struct Found {
	std::vector<std::uint64_t> numbers;
	std::string texts;

	bool operator==(const Found&) const = default;
};

Found read(const std::string& bytes, std::size_t at_once)
{
	Found found;
	uwind::FakeNotes notes(bytes, "fuzzed", at_once);
	uwind::JitdumpVisitor visitor;
	visitor.wants_lines = [](std::uint64_t start, std::uint64_t) { return start % 2 == 0; };
	visitor.load = [&](const uwind::JitLoad& load) {
		if (load.start + load.bytes < load.start)
			std::abort();
		found.numbers.insert(found.numbers.end(), {load.time, load.start, load.bytes, load.index});
		found.texts += load.name;
		for (const uwind::JitLine& line : load.lines) {
			found.numbers.insert(found.numbers.end(), {line.address, line.line});
			if (line.file.size() > bytes.size())
				std::abort();
		}
	};
	visitor.move = [&](const uwind::JitMove& move) {
		if (move.from + move.bytes < move.from || move.to + move.bytes < move.to)
			std::abort();
		found.numbers.insert(found.numbers.end(), {move.time, move.from, move.to, move.index});
	};
	const uwind::Jitdump dump = uwind::read_jitdump(notes, nullptr, visitor);
	if (dump.flaws.longer || (dump.flaws.refused && dump.flaws.refused->message.empty()))
		std::abort();
	if (found.texts.size() > bytes.size())
		std::abort();
	found.numbers.push_back(dump.flaws.bad);
	return found;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
	if (!bytes)
		return 0;
	const std::string rest(reinterpret_cast<const char*>(data + 1), bytes - 1);
	for (const std::string& dump : {rest, std::string(uwind::JitdumpBytes()) + rest})
		if (read(dump, ~std::size_t{0}) != read(dump, data[0] ? data[0] : 1))
			std::abort();
	return 0;
}
