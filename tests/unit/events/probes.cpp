// SPDX-License-Identifier: GPL-2.0
// Probes by name, and breakpoints.
#include "events/probes.h"
#include "unit/events/parsed.h"

namespace {

std::string place(const uwind::EventSpec& event)
{
	char text[256];
	std::snprintf(text, sizeof(text), "%u:%llx %s+%llx", event.type, static_cast<unsigned long long>(event.config),
		      event.config1_text.c_str(), static_cast<unsigned long long>(event.config2));
	return text;
}

std::string said_of_probe(const char* text)
{
	return refusal(text).message;
}

} // namespace

TEST_CASE("a kprobe is a function's name and an offset in it")
{
	CHECK(place(parsed("kprobe:vfs_read")[0]) == "8:0 vfs_read+0");
	CHECK(place(parsed("kprobe:vfs_read+0x10")[0]) == "8:0 vfs_read+10");
	CHECK(place(parsed("kretprobe:vfs_read")[0]) == "8:1 vfs_read+0");
	CHECK(place(parsed("kprobe:ext4_sync_fs")[0]) == "8:0 ext4_sync_fs+0");
	CHECK(parsed("kprobe:vfs_read:u")[0].name == "kprobe:vfs_read:u");
	CHECK(parsed("kprobe:vfs_read:u")[0].exclude_kernel);
}

TEST_CASE("a uprobe is a file and the offset of a function's byte in it")
{
	CHECK(place(parsed("uprobe:/usr/bin/db:main")[0]) == "9:0 /usr/bin/db+1000");
	CHECK(place(parsed("uprobe:/usr/bin/db:main+4")[0]) == "9:0 /usr/bin/db+1004");
	CHECK(place(parsed("uprobe:/usr/bin/db:0x1234")[0]) == "9:0 /usr/bin/db+1234");
	CHECK(place(parsed("uretprobe:/usr/bin/db:query")[0]) == "9:1 /usr/bin/db+1100");
	CHECK(parsed("uprobe:/usr/bin/db:main:k")[0].name == "uprobe:/usr/bin/db:main:k");
}

TEST_CASE("a static probe that stands at several places is an event for each, with the counter of its users")
{
	CHECK(place(parsed("usdt:/usr/bin/db:db:begin")[0]) == "9:0 /usr/bin/db+1010");
	const auto events = parsed("usdt:/usr/bin/db:db:end:u");
	REQUIRE(events.size() == 2);
	CHECK(place(events[0]) == "9:500000000000 /usr/bin/db+1020");
	CHECK(place(events[1]) == "9:500200000000 /usr/bin/db+1030");
	CHECK(events[1].name == "usdt:/usr/bin/db:db:end:u");
}

TEST_CASE("a backslash makes a comma, a colon or a brace part of a path")
{
	fake::Events machine = fake::machine();
	machine.programs["/a,b:c}"] = {"/a,b:c}", {{"main", 0x10, 0}}, {}};
	const auto events = parsed("{uprobe:/a\\,b\\:c\\}:main}:u,cs", machine);
	REQUIRE(events.size() == 2);
	CHECK(place(events[0]) == "9:0 /a,b:c}+10");
}

TEST_CASE("a probe in what is not there is refused by name")
{
	CHECK(said_of_probe("kprobe:vfs_raed") ==
	      "no function of the kernel is called 'vfs_raed' (do you mean vfs_read?)");
	CHECK(said_of_probe("uprobe:/usr/bin/db:qeury") == "/usr/bin/db has no function 'qeury'");
	CHECK(said_of_probe("uprobe:/usr/bin/db:query_al") ==
	      "/usr/bin/db has no function 'query_al' (do you mean query_all?)");
	CHECK(said_of_probe("uprobe:/usr/bin/db:query_all+8") ==
	      "query_all of /usr/bin/db has 8 bytes: 0x8 is not in it");
	CHECK(said_of_probe("usdt:/usr/bin/db:db:ende") ==
	      "/usr/bin/db has no static probe 'db:ende' (do you mean db:end?)");
	CHECK(said_of_probe("uprobe:/none:main") == "/none: No such file or directory");
	CHECK(refusal("uprobe:/none:main").code == ENOENT);
	CHECK(said_of_probe("kretprobe:vfs_read+1") == "a kretprobe is of a whole function: leave out the offset");
	CHECK(said_of_probe("kprobe:vfs_read+x") == "'+x' is no offset: give a number, for example +0x10");
	CHECK(said_of_probe("kprobe:") == "a function of the kernel is missing: kprobe:SYMBOL[+OFFSET]");
	CHECK(said_of_probe("uprobe::main") == "a path is missing: uprobe:PATH:SYMBOL[+OFFSET]");
	CHECK(said_of_probe("uprobe:/usr/bin/db") ==
	      "'uprobe:/usr/bin/db' has another form than uprobe:PATH:SYMBOL[+OFFSET]");
	CHECK(said_of_probe("usdt:/usr/bin/db:db") ==
	      "'usdt:/usr/bin/db:db' has another form than usdt:PATH:PROVIDER:NAME");
	CHECK(said_of_probe("kprobe:vfs_read:u:u") ==
	      "'kprobe:vfs_read:u:u' has another form than kprobe:SYMBOL[+OFFSET]");
	CHECK(said_of_probe("kprobe:vfs_read:") == "modifiers are missing at the end of 'kprobe:vfs_read:'");
	CHECK(said_of_probe("kprobe:vfs_read:D") ==
	      "kprobe:vfs_read:D: modifiers 'D': D is not supported: events cannot be pinned");
}

TEST_CASE("a kernel without probes says which option is missing")
{
	const auto none = fake::hybrid();
	CHECK(refusal("kprobe:vfs_read", none).message ==
	      "this kernel has no PMU for kprobe: CONFIG_KPROBE_EVENTS is not set");
	CHECK(refusal("kretprobe:vfs_read", none).code == ENOENT);
	CHECK(refusal("usdt:/usr/bin/db:db:end", none).message ==
	      "this kernel has no PMU for usdt: CONFIG_UPROBE_EVENTS is not set");
	fake::Events old = fake::machine();
	old.files.erase(fake::devices + "uprobe/format/ref_ctr_offset");
	CHECK(parsed("usdt:/usr/bin/db:db:begin", old).size() == 1);
	CHECK(refusal("usdt:/usr/bin/db:db:end", old).message ==
	      "the kernel cannot turn on db:end: it does not count its users");
	old.files.erase(fake::devices + "kprobe/format/retprobe");
	CHECK(refusal("kretprobe:vfs_read", old).code == ENOENT);
}

TEST_CASE("where the kernel's names are not readable, the kernel checks a kprobe's")
{
	fake::Events machine = fake::machine();
	machine.forbidden.insert("/proc/kallsyms");
	CHECK(place(parsed("kprobe:whatever", machine)[0]) == "8:0 whatever+0");
}

TEST_CASE("a breakpoint is an address, a length and an access")
{
	const auto check = [](const char* text, const char* wanted, std::uint32_t access) {
		INFO(text);
		CHECK(brief(parsed(text)) == wanted);
		CHECK(parsed(text)[0].bp_type == access);
	};
	check("mem:0x1000", "mem:0x1000 5:0,1000,4 -g", 3);
	check("mem:4096:r", "mem:4096:r 5:0,1000,4 -g", 1);
	check("mem:0x1000/8:wr", "mem:0x1000/8:wr 5:0,1000,8 -g", 3);
	check("mem:0x1000:x", "mem:0x1000:x 5:0,1000,8 -g", 4);
	check("mem:0x1000/1:w:u", "mem:0x1000/1:w:u 5:0,1000,1 -kvg", 2);
	check("mem:0x1000:u", "mem:0x1000:u 5:0,1000,4 -kvg", 3);
	check("{mem:0x1000/2,cs}:k", "mem:0x1000/2:k 5:0,1000,2 -uvg; cs:k 1:3 -uvg", 3);
}

TEST_CASE("a breakpoint of another form is refused")
{
	const std::string form = ": a breakpoint is mem:ADDRESS[/LENGTH][:rwx][:MODIFIERS]";
	for (const char* text : {"mem:", "mem:x", "mem:0x1000/", "mem:0x1000/x", "mem:1:r:u:u"})
		CHECK(said_of_probe(text) == "'" + std::string(text) + "'" + form);
	CHECK(said_of_probe("mem:1:rwx") == "'mem:1:rwx': x stands alone: a breakpoint is on code or on data");
	CHECK(said_of_probe("mem:1/9") == "'mem:1/9': the length is between 1 and 8 bytes");
	CHECK(said_of_probe("mem:1/0") == "'mem:1/0': the length is between 1 and 8 bytes");
	CHECK(said_of_probe("mem:1:q:u") == "'mem:1:q:u': an access is made of r, w and x, each once at most");
	CHECK(said_of_probe("mem:1:") == "'mem:1:': an access (r, w, rw or x) or modifiers are missing at the end");
	CHECK(said_of_probe("mem:1:rr") == "mem:1:rr: modifiers 'rr': 'r' is none of u, k, h, I, G, H, p, P, W");
}
