// SPDX-License-Identifier: GPL-2.0
// uwind text-at: the kernel's text as it was at a time of a log.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/text_names.h"
#include "app/text_replay.h"
#include "base/exit_code.h"
#include "base/text.h"
#include "cli/input_file.h"
#include "cli/verbs.h"
#include "export/text_summary.h"
#include "io/disassembly.h"

namespace uwind {
namespace {

constexpr std::uint64_t most_bytes = 1 << 20;

struct TextAtArguments {
	std::string input = "uwind.text";
	std::string time, address;
	std::uint64_t length = 0;
	std::string format = "text";
};

struct Question {
	std::uint64_t time_ns = 0, address = 0;
};

Error no_time(const std::string& text)
{
	return Error{EINVAL, "'" + text +
				     "' is no time: give seconds of CLOCK_MONOTONIC (1234.5), +SECONDS after the log's "
				     "begin, begin or end"};
}

// Decimal digits, without rounding: "12", "12.000000001".
std::optional<std::uint64_t> ns_in(std::string_view text)
{
	constexpr std::uint64_t ns_of_s = 1'000'000'000;
	constexpr std::size_t digits = 9;
	std::string_view fraction = text;
	const auto whole = parse_number(next_part(fraction, '.'));
	if (!whole || *whole > ~std::uint64_t{0} / ns_of_s - 1 || fraction.size() > digits)
		return std::nullopt;
	std::string padded(fraction);
	padded.resize(digits, '0');
	const auto parts = parse_number(padded);
	return parts ? std::optional(*whole * ns_of_s + *parts) : std::nullopt;
}

Result<std::uint64_t> time_in(const std::string& text, const TextReplay& replay)
{
	if (text == "begin")
		return replay.begin_ns();
	if (text == "end")
		return replay.end_ns();
	const bool after_begin = text.starts_with('+');
	const auto ns = ns_in(std::string_view(text).substr(after_begin ? 1 : 0));
	if (!ns)
		return no_time(text);
	return after_begin ? replay.begin_ns() + *ns : *ns;
}

std::string seconds(std::uint64_t ns)
{
	char text[48];
	std::snprintf(text, sizeof(text), "%llu.%09llu", static_cast<unsigned long long>(ns / 1'000'000'000),
		      static_cast<unsigned long long>(ns % 1'000'000'000));
	return text;
}

Result<Question> question_of(const TextAtArguments& arguments, const TextReplay& replay, const TextNames& names)
{
	const auto time_ns = time_in(arguments.time, replay);
	if (!time_ns)
		return time_ns.error();
	if (*time_ns < replay.begin_ns() || *time_ns > replay.end_ns())
		return Error{EINVAL, arguments.input + ": covers " + seconds(replay.begin_ns()) + " to " +
					     seconds(replay.end_ns()) + " s, not " + seconds(*time_ns)};
	const auto address = names.address_of(arguments.address);
	if (!address)
		return Error{ESRCH,
			     "'" + arguments.address +
				     "' is no address: give hexadecimal digits, or a function of the kernel that " +
				     arguments.input + " names, or FUNCTION+OFFSET"};
	return Question{*time_ns, *address};
}

TextNames names_until(const TextLog& log, std::uint64_t time_ns)
{
	TextNames names;
	for (const TextEntry& entry : log.entries)
		if (const auto* symbols = std::get_if<TextSymbols>(&entry); symbols && symbols->time_ns <= time_ns)
			names.add(symbols->symbols);
	return names;
}

void print_instruction(const Instruction& one, const TextNames& names)
{
	std::string bytes;
	for (const std::uint8_t byte : one.bytes)
		bytes += (bytes.empty() ? "" : " ") + digits_of(Bytes(&byte, 1));
	std::string text = one.text;
	if (one.target)
		if (const std::string name = names.text(*one.target); !name.empty())
			text += " <" + name + ">";
	std::printf("%s %-36s %-24s %s\n", hex(one.address).c_str(), names.text(one.address).c_str(), bytes.c_str(),
		    text.c_str());
}

void print_text(const TextAnswer& answer, const Question& question, const TextLog& log, const TextNames& names)
{
	std::printf("at %s s (+%s s), %s %s\n", seconds(question.time_ns).c_str(),
		    seconds(question.time_ns - log.head.begin_ns).c_str(), text_place_name(answer.place),
		    printable(answer.area).c_str());
	if (answer.possible.size() > 1)
		std::printf("the text was being changed then: it was one of these %zu\n", answer.possible.size());
	if (answer.known_since_ns)
		std::printf("some of these bytes were seen only when they were changed, at %s s\n",
			    seconds(*answer.known_since_ns).c_str());
	for (std::size_t i = 0; i < answer.possible.size(); i++) {
		if (i)
			std::printf("or\n");
		for (const Instruction& one : disassemble(log.head.arch, answer.possible[i], question.address))
			print_instruction(one, names);
	}
}

void print_json(const TextAnswer& answer, const Question& question, const TextLog& log, const TextNames& names)
{
	using Json = nlohmann::ordered_json;
	Json json = {{"time_ns", question.time_ns},
		     {"address", hex(question.address)},
		     {"place", text_place_name(answer.place)},
		     {"name", answer.area}};
	json["known_since_ns"] = answer.known_since_ns ? Json(*answer.known_since_ns) : Json(nullptr);
	json["possible"] = Json::array();
	for (const auto& bytes : answer.possible) {
		Json instructions = Json::array();
		for (const Instruction& one : disassemble(log.head.arch, bytes, question.address)) {
			Json instruction = {{"address", hex(one.address)},
					    {"symbol", names.text(one.address)},
					    {"bytes", digits_of(one.bytes)},
					    {"text", one.text}};
			if (one.target)
				instruction["target"] = {{"address", hex(*one.target)},
							 {"symbol", names.text(*one.target)}};
			instructions.push_back(instruction);
		}
		json["possible"].push_back({{"bytes", digits_of(bytes)}, {"instructions", instructions}});
	}
	std::printf("%s\n", json.dump(1, ' ', false, Json::error_handler_t::replace).c_str());
}

Status answer(const TextAtArguments& arguments)
{
	const auto log = text_log_in(arguments.input);
	if (!log)
		return log.error();
	const TextReplay replay(*log);
	TextNames names = names_until(*log, ~std::uint64_t{0});
	const auto question = question_of(arguments, replay, names);
	if (!question)
		return question.error();
	const auto found = replay.at(question->time_ns, question->address, arguments.length);
	if (!found)
		return found.error();
	const std::string where = arguments.input + ": " + hex(question->address);
	if (found->covered == TextAnswer::Covered::no)
		return Error{ESRCH, where + " is no text of the kernel that the log covers at that time"};
	if (found->covered == TextAnswer::Covered::unknown || found->possible.front().empty())
		return Error{ESRCH, where + " was in '" + found->area + "', which was gone before it could be read"};
	if (log->cut_short)
		std::fprintf(stderr, "uwind: %s: cut short: changes after its end are not known\n",
			     arguments.input.c_str());
	if (found->possible.front().size() < arguments.length)
		std::fprintf(stderr, "uwind: only %zu bytes: '%s' ends there\n", found->possible.front().size(),
			     found->area.c_str());
	(arguments.format == "json" ? print_json : print_text)(*found, *question, *log, names);
	return Nothing{};
}

int text_at(const TextAtArguments& arguments)
{
	const auto answered = answer(arguments);
	return answered ? int(exit_ok) : complain(answered.error());
}

} // namespace

void add_text_at_command(CLI::App& app, int& exit_code)
{
	auto* verb = app.add_subcommand("text-at", "Show the kernel's text as it was at a time of a log.");
	const auto arguments = std::make_shared<TextAtArguments>();
	verb->add_option("TIME", arguments->time, "Seconds of CLOCK_MONOTONIC, +SECONDS after the begin, begin or end")
		->required();
	verb->add_option("ADDRESS", arguments->address, "Hexadecimal digits, or SYMBOL[+OFFSET]")->required();
	verb->add_option("LENGTH", arguments->length, "Bytes")
		->required()
		->check(CLI::Range(std::uint64_t{1}, most_bytes));
	verb->add_option("-i,--input", arguments->input, "The log that uwind text-log has written")
		->capture_default_str();
	verb->add_option("--format", arguments->format, "text or json")
		->check(CLI::IsMember({"text", "json"}))
		->capture_default_str();
	verb->callback([arguments, &exit_code] { exit_code = text_at(*arguments); });
}

} // namespace uwind
