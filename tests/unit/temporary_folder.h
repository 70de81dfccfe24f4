// SPDX-License-Identifier: GPL-2.0
// A folder of a test's own, gone after it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>

struct TemporaryFolder {
	std::filesystem::path path;

	TemporaryFolder()
	{
		char name[] = "/tmp/uwind-test-XXXXXX";
		path = ::mkdtemp(name);
	}
	TemporaryFolder(const TemporaryFolder&) = delete;
	TemporaryFolder& operator=(const TemporaryFolder&) = delete;
	~TemporaryFolder() { std::filesystem::remove_all(path); }

	std::string at(const char* name) const { return path / name; }
	std::size_t files() const { return std::distance(std::filesystem::directory_iterator(path), {}); }
};
