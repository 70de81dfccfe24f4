// SPDX-License-Identifier: GPL-2.0
// What follows an event's colon: cycles:upp.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/event.h"

namespace uwind {

// As perf reads them: u, k and h name modes to count, G and H guests and the host; without any, guests are left out.
class Modifiers {
public:
	// An event's own. EINVAL: unknown, twice, or none of what uwind does.
	Status read(std::string_view letters);
	// Those of its group, after its own.
	Status read_more(std::string_view letters);

	// precise stays 0 if it is to be the machine's most.
	void apply(EventSpec& event) const;
	bool most_precise() const { return most_precise_; }
	// ":upp", or "" if there are none.
	std::string text() const { return letters_.empty() ? "" : ":" + letters_; }
	// G or H.
	bool name_guests() const { return some_place_; }

private:
	void letter(char letter);
	void only(bool& excluded);
	void only_in(bool& excluded);

	std::string letters_;
	bool user_ = false, kernel_ = false, hv_ = false, idle_ = false; // excluded
	bool host_ = false, guest_ = true;                               // excluded
	bool some_mode_ = false, some_place_ = false;                    // have been named
	unsigned precise_ = 0;
	bool most_precise_ = false;
};

} // namespace uwind
