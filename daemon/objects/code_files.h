// SPDX-License-Identifier: GPL-2.0
// The files that a report names, and what is known of their code.
#pragma once

#include "objects/code_search.h"

namespace uwind {

class ElfCodeFiles : public CodeFiles {
public:
	explicit ElfCodeFiles(CodePlaces places = {}) : search_(std::move(places)) {}

	Result<std::unique_ptr<CodeFile>> open(const CodeName& name) override;

private:
	CodeSearch search_; // the files use it
};

} // namespace uwind
