// SPDX-License-Identifier: GPL-2.0
// A log in memory.
#pragma once

#include <algorithm>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sstream>
#include <string>

// What is logged at spdlog's own level while it lives.
class Logged {
public:
	Logged() : before_(spdlog::default_logger())
	{
		const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
		spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", sink));
	}
	~Logged() { spdlog::set_default_logger(before_); }

	std::string text() const { return text_.str(); }
	std::size_t lines() const
	{
		const std::string text = text_.str();
		return std::size_t(std::count(text.begin(), text.end(), '\n'));
	}

private:
	std::shared_ptr<spdlog::logger> before_;
	std::ostringstream text_;
};
