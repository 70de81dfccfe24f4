// SPDX-License-Identifier: GPL-2.0
// The keys of the service's configuration: one table for the file, the command line
// and the messages about both.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/settings.h"

namespace uwind {

struct SettingKey {
	const char* name;    // in the file; on the command line "--name", with - for _
	const char* options; // on the command line: "-F,--frequency"
	const char* meaning; // for --help
	const char* allowed; // "a number from 1 to 86400"
	const char* example; // a value that is allowed
	bool is_path;
	bool is_flag; // on the command line its presence means yes
	// False: this value is not allowed, and nothing was changed.
	bool (*set)(Settings& settings, std::string_view value);
	std::string (*get)(const Settings& settings);
};

std::span<const SettingKey> setting_keys();

// "" or what is wrong with that value, what is allowed, and an example.
std::string complaint_about(const SettingKey& key, std::string_view value);

struct ReadSettings {
	Settings settings;
	std::vector<std::string> complaints; // "FILE:LINE: what is wrong, and what may have been meant"
};

// Lines of the form "key = value", empty lines, and lines that begin with '#'. What
// the text does not name stays as it is in base. Every wrong line is complained of.
ReadSettings read_settings(std::string_view text, const std::string& file, const Settings& base);

// One "key = value" per line, as the file has them.
std::string text_of(const Settings& settings);

} // namespace uwind
