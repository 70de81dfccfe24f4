// SPDX-License-Identifier: GPL-2.0
// What functions take and return, from type information that libbpf itself has written.
#include "io/kernel_types.h"

#include <bpf/btf.h>
#include <catch2/catch.hpp>
#include <fstream>
#include <memory>

#include "base/handle.h"
#include "unit/temporary_folder.h"

using namespace uwind;

namespace {

using Types = std::unique_ptr<btf, FreeWith<&::btf__free>>;

void save(const btf* types, const std::string& path)
{
	std::uint32_t bytes = 0;
	const void* data = btf__raw_data(types, &bytes);
	std::ofstream(path, std::ios::binary).write(static_cast<const char*>(data), bytes);
}

// struct file; struct pair { two words }; struct wide { three }; the functions below use them.
struct Kernel {
	Types types{btf__new_empty()};
	int word = btf__add_int(types.get(), "long int", 8, BTF_INT_SIGNED);
	int count = btf__add_int(types.get(), "unsigned int", 4, 0);
	int flag = btf__add_int(types.get(), "_Bool", 1, BTF_INT_BOOL);
	int ssize = btf__add_typedef(types.get(), "ssize_t", word);
	int file = btf__add_struct(types.get(), "file", 8);
	int pair = structure("pair", 2);
	int wide = structure("wide", 3);
	int file_pointer = btf__add_ptr(types.get(), file);

	int structure(const char* name, int words)
	{
		const int id = btf__add_struct(types.get(), name, 8u * words);
		for (int i = 0; i < words; i++)
			btf__add_field(types.get(), ("w" + std::to_string(i)).c_str(), word, 64u * i, 0);
		return id;
	}

	void function(const char* name, int returns, const std::vector<std::pair<const char*, int>>& parameters)
	{
		const int prototype = btf__add_func_proto(types.get(), returns);
		for (const auto& [parameter, type] : parameters)
			btf__add_func_param(types.get(), parameter, type);
		btf__add_func(types.get(), name, BTF_FUNC_STATIC, prototype);
	}
};

} // namespace

TEST_CASE("parameters have names, C's types, and the registers that they are in")
{
	const TemporaryFolder folder;
	Kernel kernel;
	kernel.function("vfs_read", kernel.ssize,
			{{"file", kernel.file_pointer}, {"count", kernel.count}, {"on", kernel.flag}});
	kernel.function("nothing", 0, {});
	save(kernel.types.get(), folder.at("vmlinux"));
	const auto found =
		signatures_in_btf({{"vfs_read", 0, ""}, {"nothing", 0, ""}, {"missing", 0, ""}}, folder.path.string());
	REQUIRE(found.size() == 3);
	REQUIRE(found[0]);
	const auto& parameters = found[0]->parameters;
	REQUIRE(parameters.size() == 3);
	CHECK(parameters[0].name == "file");
	CHECK(parameters[0].type == "struct file *");
	CHECK(parameters[0].kind == ValueKind::pointer);
	CHECK(parameters[1].kind == ValueKind::is_unsigned);
	CHECK(parameters[1].bytes == 4);
	CHECK(parameters[2].bytes == 1);
	CHECK(parameters[2].register_number == 2);
	CHECK(found[0]->returns->type == "ssize_t");
	CHECK(found[0]->returns->kind == ValueKind::is_signed);
	REQUIRE(found[1]);
	CHECK_FALSE(found[1]->returns);
	CHECK_FALSE(found[2]);
}

TEST_CASE("what is passed in two registers moves the others, and after what may be in memory nothing is known")
{
	const TemporaryFolder folder;
	Kernel kernel;
	kernel.function("takes_pair", 0, {{"pair", kernel.pair}, {"next", kernel.word}});
	kernel.function("takes_wide", 0, {{"first", kernel.word}, {"wide", kernel.wide}, {"next", kernel.word}});
	kernel.function("takes_many", 0, std::vector<std::pair<const char*, int>>(8, {"one", kernel.word}));
	save(kernel.types.get(), folder.at("vmlinux"));
	const auto found = signatures_in_btf({{"takes_pair", 0, ""}, {"takes_wide", 0, ""}, {"takes_many", 0, ""}},
					     folder.path.string());
	CHECK_FALSE(found[0]->parameters[0].register_number);
	CHECK(found[0]->parameters[1].register_number == 2);
	CHECK(found[1]->parameters[0].register_number == 0);
	CHECK_FALSE(found[1]->parameters[2].register_number);
	CHECK(found[2]->parameters[5].register_number == 5);
	CHECK_FALSE(found[2]->parameters[6].register_number);
}

TEST_CASE("a module's functions are in a file of its own, and use the kernel's types")
{
	const TemporaryFolder folder;
	Kernel kernel;
	save(kernel.types.get(), folder.at("vmlinux"));
	const Types module(btf__new_empty_split(kernel.types.get()));
	const int prototype = btf__add_func_proto(module.get(), kernel.word);
	btf__add_func_param(module.get(), "file", kernel.file_pointer);
	btf__add_func(module.get(), "hook", BTF_FUNC_STATIC, prototype);
	save(module.get(), folder.at("nf"));
	const auto found =
		signatures_in_btf({{"hook", 0, "nf"}, {"hook", 0, ""}, {"hook", 0, "absent"}}, folder.path.string());
	REQUIRE(found[0]);
	CHECK(found[0]->parameters[0].type == "struct file *");
	CHECK_FALSE(found[1]);
	CHECK_FALSE(found[2]);
}

TEST_CASE("a kernel without type information, or with other bytes there, has no signatures")
{
	const TemporaryFolder folder;
	CHECK_FALSE(signatures_in_btf({{"vfs_read", 0, ""}}, folder.path.string())[0]);
	std::ofstream(folder.at("vmlinux")) << "no types";
	CHECK_FALSE(signatures_in_btf({{"vfs_read", 0, ""}}, folder.path.string())[0]);
}
