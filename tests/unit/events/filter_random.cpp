// SPDX-License-Identifier: GPL-2.0
// Random expressions: what their steps say of random entries is what evaluating them says, every part of them.
#include <memory>
#include <random>

#include "events/filter.h"
#include "unit/events/parsed.h"
#include "unit/events/run_filter.h"

using namespace uwind;

namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t end)
{
	return random() % end;
}

// An expression that knows its text and its value, but nothing of steps or fields' places.
struct Expression {
	char kind = 't'; // t: a comparison; &, |: both parts; !: the first
	std::string field, compare, value;
	std::unique_ptr<Expression> first, second;
};

// The entry by names. Texts and numbers; small ones, so that comparisons are often true.
struct Named {
	std::int64_t prev_pid, prev_state, tiny;
	std::uint64_t flags, level, address;
	unsigned cpu;
	std::string prev_comm, path, rest, comm;
};

std::string random_text(Random& random)
{
	std::string text;
	for (std::size_t i = below(random, 4); i > 0; i--)
		text += "ab"[below(random, 2)];
	return text;
}

Named random_entry(Random& random)
{
	const auto small = [&] { return static_cast<std::int64_t>(below(random, 5)) - 2; };
	Named entry;
	entry.prev_pid = small();
	entry.prev_state = small();
	entry.tiny = small();
	entry.flags = below(random, 4);
	entry.level = below(random, 4);
	entry.address = below(random, 2) ? below(random, 4) : ~std::uint64_t{0} - below(random, 2);
	entry.cpu = static_cast<unsigned>(below(random, 4));
	entry.prev_comm = random_text(random);
	entry.path = random_text(random);
	entry.rest = random_text(random);
	entry.comm = random_text(random);
	return entry;
}

void put(std::string& entry, std::size_t offset, const void* from, std::size_t bytes)
{
	std::memcpy(entry.data() + offset, from, bytes);
}

Moment laid_out(const Named& named, Random& random)
{
	Moment moment{std::string(240, '\x55'), named.cpu, named.comm};
	put(moment.entry, 8, named.prev_comm.c_str(), named.prev_comm.size() + 1);
	put(moment.entry, 24, &named.prev_pid, 4);
	put(moment.entry, 32, &named.prev_state, 8);
	put(moment.entry, 40, &named.flags, 2);
	put(moment.entry, 42, &named.tiny, 1);
	put(moment.entry, 43, &named.level, 1);
	put(moment.entry, 56, &named.address, 8);
	const auto at = static_cast<std::uint32_t>(160 + below(random, 20)), rest_at = at + 30;
	const auto bytes = [](const std::string& text) { return static_cast<std::uint32_t>(text.size() + 1) << 16; };
	const std::uint32_t path = at | bytes(named.path), rest = (rest_at - 52) | bytes(named.rest);
	put(moment.entry, 44, &path, 4);
	put(moment.entry, 48, &rest, 4);
	put(moment.entry, at, named.path.c_str(), named.path.size() + 1);
	put(moment.entry, rest_at, named.rest.c_str(), named.rest.size() + 1);
	return moment;
}

constexpr const char* signed_fields[] = {"prev_pid", "prev_state", "tiny"};
constexpr const char* unsigned_fields[] = {"flags", "level", "address", "cpu"};
constexpr const char* text_fields[] = {"prev_comm", "path", "rest", "comm"};

std::unique_ptr<Expression> random_comparison(Random& random)
{
	constexpr const char* compares[] = {"==", "!=", "<", "<=", ">", ">=", "&"};
	auto made = std::make_unique<Expression>();
	const auto kind = below(random, 3);
	if (kind == 2) {
		constexpr const char* texts[] = {"==", "!=", "~", "!~"};
		constexpr const char* patterns[] = {"*", "a*", "*b", "?", "a?*", "*ab*", "[a]*", "[!a]*"};
		made->field = text_fields[below(random, 4)];
		made->compare = texts[below(random, 4)];
		made->value = made->compare.ends_with('~') ? patterns[below(random, 8)] : random_text(random);
		return made;
	}
	made->field = kind ? unsigned_fields[below(random, 4)] : signed_fields[below(random, 3)];
	made->compare = compares[below(random, 7)];
	made->value = std::to_string(static_cast<int>(below(random, 5)) - (kind ? 0 : 2));
	return made;
}

std::unique_ptr<Expression> random_expression(Random& random, unsigned depth)
{
	const auto kind = depth == 0 ? 0 : below(random, 6);
	if (kind < 2)
		return random_comparison(random);
	auto made = std::make_unique<Expression>();
	made->kind = kind == 2 ? '!' : kind < 5 ? '&' : '|';
	made->first = random_expression(random, depth - 1);
	if (made->kind != '!')
		made->second = random_expression(random, depth - 1);
	return made;
}

int binding(const Expression& expression)
{
	return expression.kind == '|' ? 0 : expression.kind == '&' ? 1 : 2;
}

// Parentheses only where they must be, and sometimes where they need not.
std::string text_of(const Expression& expression, int needed, Random& random)
{
	const std::string blank = below(random, 2) ? " " : "";
	if (binding(expression) < needed || below(random, 8) == 0)
		return "(" + text_of(expression, 0, random) + blank + ")";
	switch (expression.kind) {
	case 't': {
		const bool number = expression.value.find_first_of("0123456789") != std::string::npos;
		const std::string quote = number ? "" : below(random, 2) ? "'" : "\"";
		return expression.field + blank + expression.compare + blank + quote + expression.value + quote;
	}
	case '!':
		return "!" + blank + text_of(*expression.first, 2, random);
	default: {
		const int own = binding(expression);
		const std::string sign = expression.kind == '&' ? "&&" : "||";
		return text_of(*expression.first, own, random) + blank + sign + blank +
		       text_of(*expression.second, own, random);
	}
	}
}

// By trying everything, as slow as it is simple.
bool matches(const char* pattern, const char* text)
{
	if (!*pattern)
		return !*text;
	if (*pattern == '*')
		return matches(pattern + 1, text) || (*text && matches(pattern, text + 1));
	if (!*text)
		return false;
	if (std::string(pattern).starts_with("[a]"))
		return *text == 'a' && matches(pattern + 3, text + 1);
	if (std::string(pattern).starts_with("[!a]"))
		return *text != 'a' && matches(pattern + 4, text + 1);
	return (*pattern == '?' || *pattern == *text) && matches(pattern + 1, text + 1);
}

bool text_is(const Expression& term, const std::string& text)
{
	if (term.compare == "==" || term.compare == "!=")
		return (text == term.value) == (term.compare == "==");
	return matches(term.value.c_str(), text.c_str()) == (term.compare == "~");
}

template <typename Number>
bool number_is(const std::string& compare, Number a, Number b)
{
	return compare == "=="   ? a == b
	       : compare == "!=" ? a != b
	       : compare == "<"  ? a < b
	       : compare == "<=" ? a <= b
	       : compare == ">"  ? a > b
	       : compare == ">=" ? a >= b
				 : (a & b) != 0;
}

bool is_true(const Expression& term, const Named& entry)
{
	const std::map<std::string, std::string> texts = {
		{"prev_comm", entry.prev_comm}, {"path", entry.path}, {"rest", entry.rest}, {"comm", entry.comm}};
	const std::map<std::string, std::int64_t> numbers = {
		{"prev_pid", entry.prev_pid}, {"prev_state", entry.prev_state}, {"tiny", entry.tiny}};
	const std::map<std::string, std::uint64_t> naturals = {
		{"flags", entry.flags}, {"level", entry.level}, {"address", entry.address}, {"cpu", entry.cpu}};
	if (const auto text = texts.find(term.field); text != texts.end())
		return text_is(term, text->second);
	if (const auto number = numbers.find(term.field); number != numbers.end())
		return number_is<std::int64_t>(term.compare, number->second, std::stoll(term.value));
	return number_is<std::uint64_t>(term.compare, naturals.at(term.field), std::stoull(term.value));
}

// No short cuts: both parts are evaluated.
bool value_of(const Expression& expression, const Named& entry)
{
	if (expression.kind == 't')
		return is_true(expression, entry);
	const bool first = value_of(*expression.first, entry);
	const bool second = expression.second ? value_of(*expression.second, entry) : false;
	return expression.kind == '!' ? !first : expression.kind == '&' ? first && second : first || second;
}

} // namespace

TEST_CASE("the steps of random filters take the entries for which the filter is true, and no others")
{
	Random random(20261126);
	const auto fields = parse_fields(fake::switch_fields);
	std::size_t compared = 0, taken = 0, longest = 0;
	for (int i = 0; i < 3000; i++) {
		const auto expression = random_expression(random, 1 + static_cast<unsigned>(below(random, 4)));
		const std::string text = text_of(*expression, 0, random);
		const auto steps = compile_filter(text, fields);
		INFO(text << ": " << (steps ? "" : steps.error().message));
		REQUIRE(steps);
		REQUIRE(broken(*steps).empty());
		longest = std::max(longest, steps->size());
		for (int j = 0; j < 20; j++, compared++) {
			const Named entry = random_entry(random);
			const bool wanted = value_of(*expression, entry);
			REQUIRE(takes(*steps, laid_out(entry, random)) == wanted);
			taken += wanted;
		}
	}
	CHECK(longest > 8);
	CHECK(taken > compared / 5);
	CHECK(taken < compared * 4 / 5);
}

// Bytes that grammars are made of, more often than others.
std::string random_bytes(Random& random, const std::vector<std::string>& words)
{
	std::string text;
	for (std::size_t i = below(random, 24); i > 0; i--)
		text += below(random, 5) ? words[below(random, words.size())]
					 : std::string(1, static_cast<char>(random()));
	return text;
}

TEST_CASE("random text as a filter is refused with a message, or becomes steps that lead forwards")
{
	Random random(1);
	const auto fields = parse_fields(fake::switch_fields);
	const std::vector<std::string> words = {"prev_pid", "prev_comm", "path", "cpu", " ", "==", "!=", "<",
						"&",        "~",         "&&",   "||",  "!", "(",  ")",  "5",
						"-1",       "a",         "'",    "\"",  "*", "["};
	for (int i = 0; i < 20'000; i++) {
		const std::string text = random_bytes(random, words);
		const auto steps = compile_filter(text, fields);
		INFO(text);
		REQUIRE((steps ? broken(*steps).empty() : !steps.error().message.empty()));
	}
}

TEST_CASE("random text as a list of events is refused with a message, or becomes at most 32 events")
{
	Random random(2);
	fake::Events machine = fake::machine();
	const std::vector<std::string> words = {"cycles",  "cpu",       "sched",       "sched_switch",
						":",       "/",         ",",           "{",
						"}",       "u",         "ppp",         "*",
						"mem:",    "0x1000",    "kprobe:",     "vfs_read",
						"uprobe:", "usdt:",     "/usr/bin/db", "main",
						"=",       "event",     "1",           "period",
						"r",       "L1-dcache", "-",           "load",
						"misses",  "syscall:",  "'",           "\\",
						" ",       "name=",     "1:2"};
	std::size_t good = 0;
	for (int i = 0; i < 20'000; i++) {
		const std::string text = random_bytes(random, words);
		const auto events = parse_events({{text, {}}}, machine);
		INFO(text);
		REQUIRE((events ? !events->empty() && events->size() <= most_events : !events.error().message.empty()));
		good += static_cast<bool>(events);
	}
	CHECK(good > 50);
}
