// SPDX-License-Identifier: GPL-2.0
// The registers that perf copies, in the order of DWARF's numbers.
#include "perf_data/registers.h"

namespace uwind::perf_data {
namespace {

constexpr unsigned x86_pc = 8, arm64_pc = 32, x86_first_of_64_bits = 16, arm_pc = 15;

// ax bx cx dx si di bp sp
constexpr int x86_64_places[] = {0, 3, 2, 1, 4, 5, 6, 7};
constexpr int i386_places[] = {0, 3, 1, 2, 6, 7, 5, 4};

} // namespace

int place_of(Arch arch, unsigned number)
{
	switch (arch) {
	case Arch::x86_64:
	case Arch::i386:
		if (number < 8)
			return arch == Arch::i386 ? i386_places[number] : x86_64_places[number];
		if (number == x86_pc)
			return is_pc;
		if (arch == Arch::x86_64 && number >= x86_first_of_64_bits && number < x86_first_of_64_bits + 8)
			return static_cast<int>(number - x86_first_of_64_bits + 8);
		return not_kept;
	case Arch::arm64:
		return number == arm64_pc ? int(is_pc) : number < arm64_pc ? static_cast<int>(number) : int(not_kept);
	case Arch::arm:
		return number == arm64_pc ? int(is_pc) : number < arm_pc ? static_cast<int>(number) : int(not_kept);
	case Arch::none:
		break;
	}
	return not_kept;
}

// The status register, which says whether 32-bit Arm's code is Thumb, is not among what perf copies. Debian's is.
Unfinished first_frame(Arch arch, std::uint64_t mask, ByteCursor& values)
{
	Unfinished frame;
	frame.arch = arch;
	frame.method = Method::PC;
	frame.exact = true;
	frame.thumb = arch == Arch::arm;
	const std::uint64_t word = word_bytes(arch) == 4 ? 0xffffffff : ~0ull;
	for (unsigned number = 0; number < 64; number++) {
		if (!(mask >> number & 1))
			continue;
		const std::uint64_t value = values.u64() & word;
		const int place = place_of(arch, number);
		if (place == is_pc)
			frame.pc = value;
		if (place < 0)
			continue;
		frame.registers[static_cast<std::size_t>(place)] = value;
		frame.known |= 1u << place;
	}
	return frame;
}

} // namespace uwind::perf_data
