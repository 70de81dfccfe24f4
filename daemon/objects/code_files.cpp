// SPDX-License-Identifier: GPL-2.0
// The files that a report names, and what is known of their code.
#include "objects/code_files.h"

#include "dwarf/source_lines.h"
#include "objects/names.h"

namespace uwind {
namespace {

class ElfCodeFile : public CodeFile {
public:
	ElfCodeFile(FoundCode found, CodeSearch& search) : found_(std::move(found)), search_(search) { open_lines(); }

	Functions functions() override;
	std::vector<CodePart> parts() override;

	std::vector<std::vector<SourcePlace>> places(const std::vector<std::uint64_t>& addresses) override
	{
		return lines_ ? lines_->at(addresses) : std::vector<std::vector<SourcePlace>>(addresses.size());
	}

	const std::string& lacks() const override { return lacks_; }

private:
	void open_lines();
	const FoundFile* relocated() const;

	const FoundCode found_;
	CodeSearch& search_;
	std::optional<SourceLines> lines_;
	const FoundFile* lines_of_ = nullptr; // which has them
	std::string lacks_;
};

void ElfCodeFile::open_lines()
{
	for (const auto* file : {&found_.debug, &found_.program}) {
		if (!*file)
			continue;
		auto lines = SourceLines::open((*file)->fd, [&](const SharedDebug& shared) {
			const auto other = search_.find_shared((*file)->path, shared);
			return other ? other->fd : nullptr;
		});
		if (lines) {
			lacks_ = lines->lacks();
			lines_ = std::move(*lines);
			lines_of_ = &**file;
			return;
		}
		lacks_ = lines.error().message;
	}
	if (!found_.debug)
		lacks_ = found_.refused.empty() ? "it has no debug information, and no debug file is there"
						: found_.refused;
}

// The file whose sections have got addresses; null: none is to be linked still.
const FoundFile* ElfCodeFile::relocated() const
{
	return lines_ && !lines_->section_addresses().empty() ? lines_of_ : nullptr;
}

Functions ElfCodeFile::functions()
{
	Functions result;
	result.refused = found_.refused;
	if (const FoundFile* file = relocated()) {
		result.symbols = functions_in(file->elf, lines_->section_addresses());
		return result;
	}
	for (const auto& [file, type] : {std::pair(&found_.program, SHT_SYMTAB), std::pair(&found_.debug, SHT_SYMTAB),
					 std::pair(&found_.program, SHT_DYNSYM)})
		if (result.symbols.empty() && *file)
			result.symbols = functions_in((*file)->elf, type);
	return result;
}

std::vector<CodePart> ElfCodeFile::parts()
{
	const FoundFile* file = relocated();
	if (!file)
		return {{0, ~std::uint64_t{0}}};
	const auto& addresses = lines_->section_addresses();
	std::vector<CodePart> parts;
	for (const ElfHeader& header : file->elf.headers())
		if (header.code && header.bytes && header.number < addresses.size() && addresses[header.number])
			parts.push_back({addresses[header.number], header.bytes});
	return parts;
}

} // namespace

Result<std::unique_ptr<CodeFile>> ElfCodeFiles::open(const CodeName& name)
{
	auto found = search_.find(name);
	if (!found)
		return found.error();
	return std::unique_ptr<CodeFile>(std::make_unique<ElfCodeFile>(std::move(*found), search_));
}

} // namespace uwind
