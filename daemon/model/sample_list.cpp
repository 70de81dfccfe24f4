// SPDX-License-Identifier: GPL-2.0
// A report's samples, packed. Each is what differs from the last one of its CPU in its block:
//
//   varint CPU | 16 bits: which fields differ, from the lowest one on | for each of them varint(zigzag(difference))
//
// Fields that may be absent have 0 then, and all other values are one more.
#include "model/sample_list.h"

#include <array>

namespace uwind {
namespace {

// More CPUs share places, which costs bytes and nothing else.
constexpr std::size_t cpu_places = 64;
constexpr std::size_t field_count = 14;

using Fields = std::array<std::uint64_t, field_count>;
using LastOfCpu = std::array<Fields, cpu_places>;

template <typename T>
std::uint64_t field_of(const std::optional<T>& value)
{
	return value ? static_cast<std::uint64_t>(*value) + 1 : 0;
}

template <typename T>
void set(std::optional<T>& value, std::uint64_t field)
{
	if (field)
		value = static_cast<T>(field - 1);
}

// A period may be any number.
Fields fields_of(const ReportSample& sample)
{
	return {sample.time_ns,
		sample.process,
		sample.pid,
		sample.tid,
		sample.weight,
		sample.cookie,
		field_of(sample.user_stack),
		field_of(sample.kernel_stack),
		field_of(sample.lost),
		field_of(sample.event),
		sample.period.has_value(),
		sample.period.value_or(0),
		field_of(sample.off_cpu),
		field_of(sample.call)};
}

ReportSample sample_of(std::uint32_t cpu, const Fields& fields)
{
	const auto word = [&fields](std::size_t field) { return static_cast<std::uint32_t>(fields[field]); };
	ReportSample sample;
	sample.time_ns = fields[0];
	sample.process = word(1);
	sample.pid = word(2);
	sample.tid = word(3);
	sample.cpu = cpu;
	sample.weight = word(4);
	sample.cookie = fields[5];
	set(sample.user_stack, fields[6]);
	set(sample.kernel_stack, fields[7]);
	set(sample.lost, fields[8]);
	set(sample.event, fields[9]);
	if (fields[10])
		sample.period = fields[11];
	set(sample.off_cpu, fields[12]);
	set(sample.call, fields[13]);
	return sample;
}

std::uint64_t zigzag(std::uint64_t difference)
{
	return (difference << 1) ^ (difference >> 63 ? ~std::uint64_t{0} : 0);
}

std::uint64_t unzigzag(std::uint64_t value)
{
	return (value >> 1) ^ (value & 1 ? ~std::uint64_t{0} : 0);
}

void put(std::vector<std::uint8_t>& bytes, std::uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
	bytes.push_back(static_cast<std::uint8_t>(value));
}

std::uint64_t take(const std::uint8_t*& at)
{
	std::uint64_t value = 0;
	unsigned shift = 0;
	for (; *at & 0x80; shift += 7)
		value |= std::uint64_t{*at++ & 0x7fu} << shift;
	return value | std::uint64_t{*at++} << shift;
}

} // namespace

SampleList::SampleList(std::initializer_list<ReportSample> samples)
{
	for (const ReportSample& sample : samples)
		push_back(sample);
}

SampleList::Packed SampleList::pack(const Unpacked& samples)
{
	Packed bytes;
	LastOfCpu last{};
	for (const ReportSample& sample : samples) {
		const Fields now = fields_of(sample);
		Fields& before = last[sample.cpu % cpu_places];
		put(bytes, sample.cpu);
		std::uint32_t differ = 0;
		for (std::size_t i = 0; i < field_count; i++)
			differ |= std::uint32_t{now[i] != before[i]} << i;
		bytes.push_back(static_cast<std::uint8_t>(differ));
		bytes.push_back(static_cast<std::uint8_t>(differ >> 8));
		for (std::size_t i = 0; i < field_count; i++)
			if (now[i] != before[i])
				put(bytes, zigzag(now[i] - before[i]));
		before = now;
	}
	bytes.shrink_to_fit();
	return bytes;
}

SampleList::Unpacked SampleList::unpack(const Packed& packed, std::size_t count)
{
	Unpacked samples;
	samples.reserve(count);
	LastOfCpu last{};
	for (const std::uint8_t* at = packed.data(); samples.size() < count;) {
		const auto cpu = static_cast<std::uint32_t>(take(at));
		Fields& fields = last[cpu % cpu_places];
		const std::uint32_t differ = at[0] | std::uint32_t{at[1]} << 8;
		at += 2;
		for (std::size_t i = 0; i < field_count; i++)
			if (differ >> i & 1)
				fields[i] += unzigzag(take(at));
		samples.push_back(sample_of(cpu, fields));
	}
	return samples;
}

std::size_t SampleList::bytes() const
{
	std::size_t sum = (last_.capacity() + open_.samples.capacity()) * sizeof(ReportSample);
	for (const Packed& block : blocks_)
		sum += sizeof(block) + block.capacity();
	return sum;
}

void SampleList::close() const
{
	if (open_.changed && !open_.samples.empty())
		blocks_[open_.number] = pack(open_.samples);
	open_ = {};
}

void SampleList::open(std::size_t number) const
{
	close();
	open_ = {number, unpack(blocks_[number], block_samples), false};
}

void SampleList::push_back(const ReportSample& sample)
{
	last_.push_back(sample);
	if (last_.size() < block_samples)
		return;
	blocks_.push_back(pack(last_));
	last_.clear();
}

void SampleList::resize(std::size_t size)
{
	while (this->size() < size)
		push_back({});
	std::size_t left = size;
	if (this->size() > size)
		erase_if([&](const ReportSample&) { return left ? left--, false : true; });
}

} // namespace uwind
