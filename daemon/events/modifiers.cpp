// SPDX-License-Identifier: GPL-2.0
// What follows an event's colon.
#include "events/modifiers.h"

#include <cerrno>

namespace uwind {
namespace {

// perf's modifiers that uwind has no use for.
struct Refused {
	char letter;
	const char* why;
};

constexpr Refused refused[] = {
	{'S', "samples have no values of other events of their group"},
	{'D', "events cannot be pinned"},
	{'e', "events cannot have the counters for themselves"},
	{'b', "events are counted without BPF"},
};

constexpr unsigned most_precise_level = 3;

Error wrong_modifiers(std::string_view letters, const std::string& why)
{
	return Error{EINVAL, "modifiers '" + std::string(letters) + "': " + why};
}

Status check(std::string_view letters)
{
	constexpr std::string_view known = "ukhIGHpPW";
	if (letters.empty())
		return wrong_modifiers(letters, "none after the colon");
	for (std::size_t i = 0; i < letters.size(); i++) {
		const char letter = letters[i];
		for (const Refused& one : refused)
			if (one.letter == letter)
				return wrong_modifiers(letters,
						       std::string(1, letter) + " is not supported: " + one.why);
		if (known.find(letter) == std::string_view::npos)
			return wrong_modifiers(letters,
					       "'" + std::string(1, letter) + "' is none of u, k, h, I, G, H, p, P, W");
		if (letter != 'p' && letters.find(letter, i + 1) != std::string_view::npos)
			return wrong_modifiers(letters, std::string(1, letter) + " is there twice");
	}
	return Nothing{};
}

} // namespace

Status Modifiers::read(std::string_view letters)
{
	guest_ = false; // from now on, only what the letters say
	return read_more(letters);
}

Status Modifiers::read_more(std::string_view letters)
{
	if (auto checked = check(letters); !checked)
		return checked;
	for (const char one : letters)
		letter(one);
	if (precise_ > most_precise_level)
		return wrong_modifiers(letters, "there are at most three p");
	letters_ += letters;
	return Nothing{};
}

void Modifiers::letter(char letter)
{
	switch (letter) {
	case 'u':
		guest_ |= !some_place_;
		return only(user_);
	case 'k':
		return only(kernel_);
	case 'h':
		return only(hv_);
	case 'G':
		return only_in(guest_);
	case 'H':
		return only_in(host_);
	case 'I':
		idle_ = true;
		return;
	case 'p':
		precise_++;
		guest_ |= !some_place_;
		return;
	case 'P':
		most_precise_ = true;
		return;
	default: // W: members of a group are counted on their own anyway
		return;
	}
}

void Modifiers::only(bool& excluded)
{
	if (!some_mode_)
		user_ = kernel_ = hv_ = some_mode_ = true;
	excluded = false;
}

void Modifiers::only_in(bool& excluded)
{
	if (!some_place_)
		host_ = guest_ = some_place_ = true;
	excluded = false;
}

void Modifiers::apply(EventSpec& event) const
{
	event.exclude_user = user_;
	event.exclude_kernel = kernel_;
	event.exclude_hv = hv_;
	event.exclude_idle |= idle_;
	event.exclude_host = host_;
	event.exclude_guest = guest_;
	event.precise = static_cast<std::uint8_t>(precise_);
}

} // namespace uwind
