// SPDX-License-Identifier: GPL-2.0
// A report's samples: millions of them, each in about a tenth of its size.
//
//   packed block | packed block | … | packed block | the last, which grows
//                       ^
//                       open: as it is, while its samples are looked at
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include "model/report_sample.h"

namespace uwind {

// Like a vector, but a reference to a sample holds only until one of another block is asked for, and samples are best
// looked at in their order. For one thread.
class SampleList {
	template <typename List, typename Sample>
	class Iterator;

public:
	static constexpr std::size_t block_samples = 4096;

	using value_type = ReportSample;
	using iterator = Iterator<SampleList, ReportSample>;
	using const_iterator = Iterator<const SampleList, const ReportSample>;

	SampleList() = default;
	SampleList(std::initializer_list<ReportSample> samples);

	std::size_t size() const { return blocks_.size() * block_samples + last_.size(); }
	bool empty() const { return size() == 0; }
	// What they take, in bytes.
	std::size_t bytes() const;

	void push_back(const ReportSample& sample);
	void resize(std::size_t size);
	void clear() { *this = SampleList(); }

	// It may be changed.
	ReportSample& operator[](std::size_t index);
	const ReportSample& operator[](std::size_t index) const;

	iterator begin();
	iterator end();
	const_iterator begin() const;
	const_iterator end() const;

	template <typename Condition>
	void erase_if(const Condition& condition)
	{
		SampleList kept;
		take_all([&](const ReportSample& sample) {
			if (!condition(sample))
				kept.push_back(sample);
		});
		*this = std::move(kept);
	}

private:
	using Packed = std::vector<std::uint8_t>;
	using Unpacked = std::vector<ReportSample>;

	struct OpenBlock {
		std::size_t number = 0;
		Unpacked samples; // empty: none is open
		bool changed = false;
	};

	static Packed pack(const Unpacked& samples);
	static Unpacked unpack(const Packed& packed, std::size_t count);
	void open(std::size_t number) const;

	// Blocks are given back as they have been taken.
	template <typename Take>
	void take_all(const Take& take)
	{
		close();
		for (Packed& block : blocks_) {
			for (const ReportSample& sample : unpack(block, block_samples))
				take(sample);
			block = Packed();
		}
		for (const ReportSample& sample : last_)
			take(sample);
	}
	void close() const;

	mutable std::vector<Packed> blocks_;
	Unpacked last_;
	mutable OpenBlock open_;
};

template <typename List, typename Sample>
class SampleList::Iterator {
public:
	using iterator_category = std::forward_iterator_tag;
	using value_type = ReportSample;
	using difference_type = std::ptrdiff_t;
	using pointer = Sample*;
	using reference = Sample&;

	Iterator() = default;
	Iterator(List& list, std::size_t index) : list_(&list), index_(index) {}

	reference operator*() const { return (*list_)[index_]; }
	pointer operator->() const { return &**this; }
	Iterator& operator++()
	{
		index_++;
		return *this;
	}
	Iterator operator++(int)
	{
		Iterator before = *this;
		++*this;
		return before;
	}
	bool operator==(const Iterator& other) const { return index_ == other.index_; }

private:
	List* list_ = nullptr;
	std::size_t index_ = 0;
};

inline SampleList::iterator SampleList::begin()
{
	return {*this, 0};
}

inline SampleList::iterator SampleList::end()
{
	return {*this, size()};
}

inline SampleList::const_iterator SampleList::begin() const
{
	return {*this, 0};
}

inline SampleList::const_iterator SampleList::end() const
{
	return {*this, size()};
}

inline const ReportSample& SampleList::operator[](std::size_t index) const
{
	const std::size_t number = index / block_samples;
	if (number == blocks_.size())
		return last_[index % block_samples];
	if (open_.number != number || open_.samples.empty())
		open(number);
	return open_.samples[index % block_samples];
}

inline ReportSample& SampleList::operator[](std::size_t index)
{
	const ReportSample& sample = std::as_const(*this)[index];
	open_.changed = open_.changed || index / block_samples != blocks_.size();
	return const_cast<ReportSample&>(sample);
}

} // namespace uwind
