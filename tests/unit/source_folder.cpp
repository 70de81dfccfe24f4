// SPDX-License-Identifier: GPL-2.0
#include "unit/source_folder.h"

std::string in_sources(const std::string& path)
{
	return UWIND_SOURCE_DIR "/" + path;
}
