// SPDX-License-Identifier: GPL-2.0
// What generated code was at given addresses of one process, and when: code is replaced, and moved.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace uwind {

// Only of the addresses that are asked about is anything kept, however much code there was.
class CodeTimes {
public:
	using Label = std::uint32_t; // what the code is; 0: nothing that is known
	static constexpr std::uint64_t ever = std::numeric_limits<std::uint64_t>::max();

	// Rising, each once. most: changes that are kept of all of them together.
	CodeTimes(std::vector<std::uint64_t> addresses, std::size_t most)
	    : addresses_(std::move(addresses)), left_(most)
	{
		changes_.resize(addresses_.size());
	}

	const std::vector<std::uint64_t>& addresses() const { return addresses_; }
	// Whether one of them lies there.
	bool concerns(std::uint64_t start, std::uint64_t bytes) const;
	// From that time on the code there is this; label_of: of an address, called for those that lie there.
	template <typename LabelOf>
	void set(std::uint64_t start, std::uint64_t bytes, std::uint64_t time_ns, const LabelOf& label_of)
	{
		for (std::size_t i = first_from(start); i < addresses_.size() && addresses_[i] - start < bytes; i++)
			change(i, time_ns, label_of(addresses_[i]));
	}
	// After the last set(), before the first at().
	void settle();

	struct Span {
		Label label = 0;
		std::uint64_t from_ns = 0, until_ns = ever; // so long it is the same
	};
	// One of addresses(). Before the first change the code is not known.
	Span at(std::uint64_t address, std::uint64_t time_ns) const;

	// Changes that there was no room for.
	std::uint64_t not_kept() const { return not_kept_; }

private:
	struct Change {
		std::uint64_t time_ns;
		Label label;
	};

	std::size_t first_from(std::uint64_t address) const;
	void change(std::size_t index, std::uint64_t time_ns, Label label);

	std::vector<std::uint64_t> addresses_;
	std::vector<std::vector<Change>> changes_; // of each address
	std::size_t left_;
	std::uint64_t not_kept_ = 0;
};

} // namespace uwind
