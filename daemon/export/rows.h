// SPDX-License-Identifier: GPL-2.0
// A table of rows that are referred to by their numbers: each key has one.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace uwind {

template <typename Key, typename Row>
class Rows {
public:
	// The number of the key's row. A key that has none gets the next one, as make() returns it, which may add rows.
	template <typename Make>
	std::size_t of(const Key& key, Make make)
	{
		if (const auto known = places_.find(key); known != places_.end())
			return known->second;
		Row row = make();
		rows_.push_back(std::move(row));
		places_[key] = rows_.size() - 1;
		return rows_.size() - 1;
	}

	Row& at(std::size_t number) { return rows_.at(number); }
	const std::vector<Row>& all() const { return rows_; }

private:
	std::map<Key, std::size_t> places_;
	std::vector<Row> rows_;
};

} // namespace uwind
