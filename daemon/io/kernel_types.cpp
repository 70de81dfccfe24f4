// SPDX-License-Identifier: GPL-2.0
// What the kernel's functions take and return, by its type information (BTF).
#include "io/kernel_types.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <memory>

#include "base/handle.h"
#include "model/event.h"

namespace uwind {
namespace {

constexpr std::size_t register_bytes = 8;
constexpr std::size_t most_type_text = 256;

using Types = std::unique_ptr<btf, FreeWith<&::btf__free>>;

void append(void* context, const char* format, va_list arguments)
{
	char text[most_type_text];
	std::vsnprintf(text, sizeof(text), format, arguments);
	static_cast<std::string*>(context)->append(text);
}

// Says how C writes types.
class TypeText {
public:
	explicit TypeText(const btf* types) : dump_(btf_dump__new(types, append, &text_, nullptr)) {}
	TypeText(const TypeText&) = delete; // its text's address is known
	TypeText& operator=(const TypeText&) = delete;

	std::string of(std::uint32_t type)
	{
		btf_dump_emit_type_decl_opts options{};
		options.sz = sizeof(options);
		options.field_name = "";
		text_.clear();
		if (type == 0)
			return "void";
		if (!dump_ || btf_dump__emit_type_decl(dump_.get(), type, &options))
			return "";
		return text_;
	}

private:
	std::string text_;
	std::unique_ptr<btf_dump, FreeWith<&::btf_dump__free>> dump_;
};

// Through typedefs and const.
const btf_type* plain_type(const btf* types, std::uint32_t id)
{
	const btf_type* type = btf__type_by_id(types, id);
	while (type && (btf_is_mod(type) || btf_is_typedef(type)))
		type = btf__type_by_id(types, type->type);
	return type;
}

ValueKind kind_of(const btf_type& type)
{
	if (btf_is_ptr(&type))
		return ValueKind::pointer;
	if (btf_is_int(&type))
		return btf_int_encoding(&type) & BTF_INT_SIGNED ? ValueKind::is_signed : ValueKind::is_unsigned;
	if (btf_is_any_enum(&type))
		return btf_kflag(&type) ? ValueKind::is_signed : ValueKind::is_unsigned;
	return ValueKind::other;
}

// How many registers pass what takes so many bytes. Nothing: it depends on the architecture.
std::optional<std::uint8_t> registers_of(std::size_t bytes)
{
	if (bytes > 2 * register_bytes)
		return std::nullopt;
	return bytes > register_bytes ? 2 : 1;
}

// The kernel's own types, or those of one module, with the functions that they name.
class FunctionTypes {
public:
	FunctionTypes(const btf* types) : types_(types), text_(types) {}

	std::optional<KernelSignature> signature(const std::string& function)
	{
		const std::int32_t id = btf__find_by_name_kind(types_, function.c_str(), BTF_KIND_FUNC);
		const btf_type* type = id > 0 ? btf__type_by_id(types_, static_cast<std::uint32_t>(id)) : nullptr;
		const btf_type* prototype = type ? btf__type_by_id(types_, type->type) : nullptr;
		if (!prototype || !btf_is_func_proto(prototype))
			return std::nullopt;
		KernelSignature signature;
		add_parameters(*prototype, signature);
		if (prototype->type)
			signature.returns = value_of_type("", prototype->type);
		return signature;
	}

private:
	KernelValue value_of_type(const char* name, std::uint32_t id)
	{
		KernelValue value;
		value.name = name ? name : "";
		value.type = text_.of(id);
		const btf_type* type = plain_type(types_, id);
		if (!type)
			return value;
		value.kind = kind_of(*type);
		const auto bytes = btf__resolve_size(types_, id);
		if (value.kind != ValueKind::other && bytes > 0 && std::size_t(bytes) <= register_bytes)
			value.bytes = static_cast<std::uint8_t>(bytes);
		return value;
	}

	void add_parameters(const btf_type& prototype, KernelSignature& signature)
	{
		std::optional<std::uint8_t> next = 0; // nothing: not known any more
		for (std::uint32_t i = 0; i < btf_vlen(&prototype); i++) {
			const btf_param& parameter = btf_params(&prototype)[i];
			if (parameter.type == 0)
				return; // "..."
			KernelValue value =
				value_of_type(btf__name_by_offset(types_, parameter.name_off), parameter.type);
			const auto registers = registers_of(std::size_t(btf__resolve_size(types_, parameter.type)));
			if (next && registers == 1 && *next < most_arguments)
				value.register_number = next;
			next = next && registers ? std::optional<std::uint8_t>(*next + *registers) : std::nullopt;
			signature.parameters.push_back(std::move(value));
		}
	}

	const btf* types_;
	TypeText text_;
};

// Reads each file once.
class AllTypes {
public:
	explicit AllTypes(std::string folder) : folder_(std::move(folder))
	{
		libbpf_set_print(nullptr);
		kernel_.reset(btf__parse((folder_ + "/vmlinux").c_str(), nullptr));
		if (kernel_)
			of_.try_emplace("", kernel_.get());
	}

	FunctionTypes* of(const std::string& module)
	{
		if (!kernel_)
			return nullptr;
		if (const auto known = of_.find(module); known != of_.end())
			return &known->second;
		const auto [read, is_new] = modules_.try_emplace(module);
		if (is_new)
			read->second.reset(btf__parse_split((folder_ + "/" + module).c_str(), kernel_.get()));
		if (!read->second)
			return nullptr;
		return &of_.try_emplace(module, read->second.get()).first->second;
	}

private:
	const std::string folder_;
	Types kernel_;
	std::map<std::string, Types> modules_; // before what uses them
	std::map<std::string, FunctionTypes> of_;
};

} // namespace

std::vector<std::optional<KernelSignature>> signatures_in_btf(const std::vector<KernelName>& functions,
							      const std::string& folder)
{
	AllTypes all(folder);
	std::vector<std::optional<KernelSignature>> signatures;
	for (const KernelName& function : functions) {
		FunctionTypes* types = all.of(function.module);
		signatures.push_back(types ? types->signature(function.symbol) : std::nullopt);
	}
	return signatures;
}

} // namespace uwind
