// SPDX-License-Identifier: GPL-2.0
// ELF headers: what is found, and what each lie is answered with.
#include <cerrno>
#include <cstdio>
#include <unistd.h>

#include "elf/sections.h"
#include "unit/tables/lower.h"

using namespace image;
using uwind::Arch;
using uwind::ElfFile;

namespace {

uwind::Error error_of(const ByteVector& bytes)
{
	const auto file = ElfFile::from_bytes(bytes);
	REQUIRE_FALSE(file);
	return file.error();
}

ElfFile open(const Image& file)
{
	auto elf = ElfFile::from_bytes(file.build());
	INFO((elf ? "" : elf.error().message));
	REQUIRE(elf);
	return std::move(*elf);
}

Image with_function()
{
	Image file;
	CfiText cfi(file.next_address());
	cfi.fde(cfi.cie(CieText{}), text_address, 16, {});
	cfi.terminator();
	file.section(".eh_frame", cfi.bytes());
	return file;
}

ByteVector note(std::uint32_t type, const std::string& name, const ByteVector& id)
{
	ByteVector bytes = fixed(name.size(), 4) + fixed(id.size(), 4) + fixed(type, 4);
	bytes.insert(bytes.end(), name.begin(), name.end());
	bytes.resize((bytes.size() + 3) & ~std::size_t{3});
	return bytes + id;
}

} // namespace

TEST_CASE("a file's machine and executable segments are those of its headers")
{
	const ElfFile amd64 = open(Image());
	CHECK(amd64.arch() == Arch::x86_64);
	REQUIRE(amd64.segments().size() == 1);
	CHECK(amd64.segments()[0].address == text_address);
	CHECK(amd64.segments()[0].offset == text_offset);
	CHECK(amd64.segments()[0].bytes == text_bytes);
	CHECK(open(Image(Arch::arm64)).arch() == Arch::arm64);
}

TEST_CASE("a file is read through a descriptor as from memory")
{
	FILE* file = std::tmpfile();
	const ByteVector bytes = with_function().build();
	REQUIRE(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
	std::fflush(file);
	const auto elf = ElfFile::open(fileno(file));
	REQUIRE(elf);
	const auto rows = uwind::rows_of_file(*elf);
	REQUIRE(rows);
	CHECK(text_of(*rows, Arch::x86_64) == "0 cfa=rsp+8 ra=[cfa-8] rbp=same; 16 none");
	std::fclose(file);
}

TEST_CASE("a file that shrinks while it is read gives an error and no signal")
{
	FILE* file = std::tmpfile();
	const ByteVector bytes = with_function().build();
	REQUIRE(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
	std::fflush(file);
	const auto elf = ElfFile::open(fileno(file));
	REQUIRE(elf);
	REQUIRE(ftruncate(fileno(file), 0x1000) == 0);
	CHECK_FALSE(uwind::rows_of_file(*elf));
	std::fclose(file);
}

TEST_CASE("a large piece of a file is read once, and gives an error where the file has become shorter")
{
	constexpr std::uint64_t bytes = uwind::LargePieces::least_bytes;
	FILE* file = std::tmpfile();
	const ByteVector headers = with_function().build();
	REQUIRE(std::fwrite(headers.data(), 1, headers.size(), file) == headers.size());
	std::fflush(file);
	REQUIRE(ftruncate(fileno(file), 3 * bytes) == 0);
	REQUIRE(pwrite(fileno(file), "end", 3, 2 * bytes - 3) == 3);
	const auto elf = ElfFile::open(fileno(file));
	REQUIRE(elf);
	const auto piece = elf->image().chunk(bytes, bytes, "a piece");
	REQUIRE(piece);
	REQUIRE(piece->size() == bytes);
	CHECK(piece->front() == 0);
	CHECK(std::memcmp(piece->data() + bytes - 3, "end", 3) == 0);
	CHECK(elf->image().chunk(bytes, bytes, "a piece")->data() == piece->data());
	REQUIRE(ftruncate(fileno(file), 2 * bytes) == 0);
	CHECK(elf->image().chunk(2 * bytes, bytes, "another").error().message ==
	      "another: the file has become shorter");
	CHECK(std::memcmp(piece->data() + bytes - 3, "end", 3) == 0);
	std::fclose(file);
}

TEST_CASE("what is not an ELF file of ours is refused by name")
{
	CHECK(error_of({}).message == "not an ELF file");
	CHECK(error_of(ByteVector(100, 'x')).code == ENOEXEC);
	Image file;
	file.elf_class = ELFCLASS32;
	CHECK(error_of(file.build()).message == "ELF class 1 is not that of amd64");
	file = Image();
	file.encoding = ELFDATA2MSB;
	CHECK_FALSE(ElfFile::from_bytes(file.build()));
	CHECK(error_of(Image().machine(EM_RISCV).build()).message ==
	      "ELF machine 243 is none of amd64, arm64, i386, arm");
	file = Image();
	file.type = ET_REL;
	CHECK(error_of(file.build()).message == "ELF type 1 is neither a program nor a library");
	CHECK(ElfFile::open(-1).error().code == EBADF);
	int ends[2];
	REQUIRE(pipe(ends) == 0);
	CHECK(ElfFile::open(ends[0]).error().message == "not a regular file");
	close(ends[0]);
	close(ends[1]);
}

TEST_CASE("segments that lie are refused")
{
	Image file;
	file.last_program().p_filesz = 0x100000;
	CHECK(error_of(file.build()).message == "program header 0: bytes 0x1000+0x100000 lie past the file's end");
	file = Image();
	file.last_program().p_offset = ~0ull - 8;
	CHECK(error_of(file.build()).code == EBADMSG);
	file = Image();
	file.last_program().p_vaddr = ~0ull - 8;
	CHECK(error_of(file.build()).message == "program header 0: addresses 0xfffffffffffffff7+0x1000 wrap around");
	file = Image();
	file.last_program().p_flags = PF_R;
	CHECK(error_of(file.build()).message == "it has no executable segment");
	file = Image();
	for (int i = 0; i < 16; i++)
		file.program(PT_LOAD, PF_R | PF_X, text_offset, 16);
	CHECK(error_of(file.build()).message == "more than 16 executable segments");
}

TEST_CASE("a program header table past the file's end is refused")
{
	ByteVector bytes = Image().build();
	const std::uint64_t far = 1 << 20;
	std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_phoff), &far, sizeof(far));
	CHECK_FALSE(ElfFile::from_bytes(bytes));
}

TEST_CASE("section headers past the file's end leave the program headers")
{
	Image file = with_function();
	ByteVector bytes = file.build();
	const std::uint64_t far = 1 << 20;
	std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_shoff), &far, sizeof(far));
	const auto elf = ElfFile::from_bytes(bytes);
	REQUIRE(elf);
	const auto section = uwind::eh_frame_section(*elf);
	REQUIRE(section);
	CHECK_FALSE(*section);
}

TEST_CASE(".eh_frame past the file's end is refused")
{
	Image file;
	file.lying_section(".eh_frame", 0x1800, 0x100000);
	CHECK(refusal(file) == ".eh_frame: bytes 0x1800+0x100000 lie past the file's end");
	file = Image();
	file.lying_section(".eh_frame", ~0ull - 4, 16);
	CHECK(refusal(file) == ".eh_frame: bytes 0xfffffffffffffffb+0x10 lie past the file's end");
}

TEST_CASE("a separate debug file's empty .eh_frame is none")
{
	Image file;
	file.lying_section(".eh_frame", 0x1800, 0x100000, SHT_NOBITS);
	CHECK(refusal(file) == "there is neither .sframe nor .eh_frame in it");
}

TEST_CASE("without section headers .eh_frame is found through its search header")
{
	Image file = with_function();
	const std::uint64_t eh_frame = base + data_offset, header = file.next_address();
	file.section(".eh_frame_hdr", ByteVector{1, 0x1b, 0xff, 0xff} + fixed(eh_frame - (header + 4), 4));
	file.program_of_last(PT_GNU_EH_FRAME).without_sections();
	CHECK(text_of(lower(file), Arch::x86_64) == "0 cfa=rsp+8 ra=[cfa-8] rbp=same; 16 none");
}

TEST_CASE("a search header that lies is refused")
{
	const auto refused = [](const ByteVector& header) {
		Image file;
		file.section(".eh_frame_hdr", header).program_of_last(PT_GNU_EH_FRAME).without_sections();
		return refusal(file);
	};
	CHECK(refused({2, 0x1b, 0xff, 0xff, 0, 0, 0, 0}) == "PT_GNU_EH_FRAME: version 2, encoding 0x1b are unknown");
	CHECK(refused({1, 0x9b, 0xff, 0xff, 0, 0, 0, 0}) == "PT_GNU_EH_FRAME: version 1, encoding 0x9b are unknown");
	CHECK(refused({1, 0x1b, 0xff, 0xff, 0}) == "PT_GNU_EH_FRAME: too short");
	CHECK(refused({1, 0x03, 0xff, 0xff, 0, 0, 0, 0}) == "PT_GNU_EH_FRAME: .eh_frame at 0x0 is in no segment");
}

TEST_CASE(".sframe is found by segment, by section type and by name")
{
	const ByteVector contents = {1, 2, 3};
	const auto found = [&](const Image& file) {
		const auto section = uwind::sframe_section(open(file));
		REQUIRE(section);
		REQUIRE(*section);
		CHECK((*section)->address == base + data_offset);
		return (*section)->bytes.size();
	};
	CHECK(found(Image().section("x", contents).program_of_last(0x6474e554).without_sections()) == 3);
	CHECK(found(Image().section("x", contents, 0x6ffffff4)) == 3);
	CHECK(found(Image().section(".sframe", contents)) == 3);
	const auto none = uwind::sframe_section(open(Image().section(".sframe", {})));
	REQUIRE(none);
	CHECK_FALSE(*none);
}

TEST_CASE("the build-id is the GNU note's, in hexadecimal")
{
	const ByteVector other = note(3, "abc", ByteVector(16)),
			 id = note(3, std::string("GNU\0", 4), {0xde, 0xad, 0x01, 0x02});
	CHECK(open(Image().section(".note", other).program_of_last(PT_NOTE)).build_id() == "");
	CHECK(open(Image().section(".note", other + id).program_of_last(PT_NOTE)).build_id() == "dead0102");
	const ByteVector abi = note(1, std::string("GNU\0", 4), ByteVector(16));
	CHECK(open(Image().section(".note", abi + id).program_of_last(PT_NOTE)).build_id() == "dead0102");
	CHECK(open(Image().section(".note", fixed(~0ull, 8)).program_of_last(PT_NOTE)).build_id() == "");
	CHECK(open(Image()).build_id() == "");
}

TEST_CASE("code at file offset 4 GiB is refused")
{
	FILE* file = std::tmpfile();
	const ByteVector bytes = [] {
		Image image = with_function();
		image.program(PT_LOAD, PF_R | PF_X, text_offset, 0x1000);
		image.last_program().p_offset = 0xfffff000;
		image.last_program().p_vaddr = 0x10000000;
		image.last_program().p_filesz = 0x2000;
		return image.build();
	}();
	REQUIRE(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
	std::fflush(file);
	REQUIRE(ftruncate(fileno(file), 0x100001000) == 0);
	const auto elf = ElfFile::open(fileno(file));
	REQUIRE(elf);
	CHECK(uwind::rows_of_file(*elf)); // the function itself lies below
	std::fclose(file);
	Image high;
	high.program(PT_LOAD, PF_R | PF_X, 0, 0);
	CfiText cfi(high.next_address());
	cfi.fde(cfi.cie(CieText{}), 0x10000ff0, 0x20, {});
	high.section(".eh_frame", cfi.bytes());
	high.last_program() = {PT_LOAD, PF_R | PF_X, 0xfffff000, 0x10000000, 0, 0x2000, 0x2000, 0};
	const ByteVector far = high.build();
	file = std::tmpfile();
	REQUIRE(std::fwrite(far.data(), 1, far.size(), file) == far.size());
	std::fflush(file);
	REQUIRE(ftruncate(fileno(file), 0x100001000) == 0);
	const auto reaches = ElfFile::open(fileno(file));
	REQUIRE(reaches);
	const auto refused = uwind::rows_of_file(*reaches);
	REQUIRE_FALSE(refused);
	CHECK(refused.error().code == EFBIG);
	CHECK(refused.error().message == "code reaches to file offset 0x100000010; tables go up to 4 GiB");
	std::fclose(file);
}
