// SPDX-License-Identifier: GPL-2.0
// The keys of the service's configuration: one table for the file, for the command
// line, and for the messages about both.
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
	bool is_flag; // on the command line it has no value; it means yes
	// False: the value is not allowed; nothing was changed.
	bool (*set)(Settings& settings, std::string_view value);
	std::string (*get)(const Settings& settings);
};

std::span<const SettingKey> setting_keys();

// What is wrong with that value, what is allowed, and an example; "": nothing is wrong.
std::string complaint_about(const SettingKey& key, std::string_view value);

struct ReadSettings {
	Settings settings;
	std::vector<std::string> complaints; // "FILE:LINE: what is wrong, and what may have been meant"
};

// Lines of the form "key = value", empty lines, and lines that begin with '#'. Keys
// that the text does not name keep their values of base. Every wrong line gives a complaint.
ReadSettings read_settings(std::string_view text, const std::string& file, const Settings& base);

// One "key = value" per line, in the form of the file.
std::string text_of(const Settings& settings);

} // namespace uwind
