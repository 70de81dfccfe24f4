// SPDX-License-Identifier: GPL-2.0
// Debug files of Debian's debuginfod on loopback, and of servers that are silent, lie, or are not there. 15 s.
#include "io/debuginfod.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "objects/code_search.h"
#include "unit/skipped.h"
#include "unit/temporary_folder.h"

using namespace uwind;

namespace {

constexpr char build_id[] = "0123456789abcdef0123456789abcdef01234567";

void run(const std::string& command)
{
	INFO(command);
	REQUIRE(std::system(command.c_str()) == 0);
}

bool has(const std::string& program)
{
	return std::system(("command -v " + program + " >/dev/null").c_str()) == 0 ||
	       skipped(program + " is not installed");
}

bool has_library()
{
	void* const library = ::dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	return library != nullptr || skipped("libdebuginfod1 is not installed");
}

// Environment variables as they were, afterwards.
class Environment {
public:
	~Environment()
	{
		for (const auto& undo : undo_)
			undo();
	}
	void set(const std::string& name, const std::string& value)
	{
		const char* const before = std::getenv(name.c_str());
		if (before)
			undo_.push_back(
				[name, text = std::string(before)] { ::setenv(name.c_str(), text.c_str(), 1); });
		else
			undo_.push_back([name] { ::unsetenv(name.c_str()); });
		::setenv(name.c_str(), value.c_str(), 1);
	}

private:
	std::vector<std::function<void()>> undo_;
};

// A stripped program, its debug file beside it, and the client's cache. Each client asks anew.
struct Machine {
	TemporaryFolder folder;
	std::string root = folder.path, program = root + "/program", debug = root + "/served/program.debug";
	Environment environment;

	explicit Machine(const std::string& timeout = "2")
	{
		environment.set("DEBUGINFOD_CACHE_PATH", root + "/cache");
		environment.set("DEBUGINFOD_TIMEOUT", timeout);
		environment.set("DEBUGINFOD_MAXTIME", "20");
		environment.set("DEBUGINFOD_MAXSIZE", "10000000");
		environment.set("DEBUGINFOD_URLS", "");
		run("cd " + root +
		    " && mkdir served && echo 'int main(void) { return 0; }' >main.c && gcc -g -Wl,--build-id=0x" +
		    std::string(build_id) +
		    " main.c -o program && objcopy --only-keep-debug program served/program.debug && strip program");
	}

	// Of the program that is here, what is there.
	FoundCode found_with(const std::string& url) const
	{
		auto online = Debuginfod::open(url);
		REQUIRE(online);
		auto found = CodeSearch({{""}, {}, *online}).find({program, build_id});
		REQUIRE(found);
		return std::move(*found);
	}
};

// A process that serves until the end of the test.
class Server {
public:
	// command: prints its port.
	explicit Server(const std::string& command)
	{
		pipe_ = ::popen(("exec setsid " + command).c_str(), "r");
		REQUIRE(pipe_);
		REQUIRE(std::fscanf(pipe_, "%d %d", &pid_, &port_) == 2);
	}
	~Server()
	{
		::kill(pid_, SIGKILL);
		::pclose(pipe_);
	}
	std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

private:
	FILE* pipe_ = nullptr;
	int pid_ = 0, port_ = 0;
};

// body: what is sent on a connection `c` that has asked for something; `f`: the bytes of a file.
Server python(const Machine& machine, const std::string& file, const std::string& body)
{
	const std::string script = machine.root + "/server.py";
	std::ofstream(script) << "import os, socket, sys, time\n"
				 "s = socket.create_server(('127.0.0.1', 0))\n"
				 "print(os.getpid(), s.getsockname()[1], flush=True)\n"
				 "f = open(sys.argv[1], 'rb').read()\n"
				 "head = b'HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n'\n"
				 "while True:\n"
				 "    c = s.accept()[0]\n"
				 "    try:\n"
				 "        asked = c.recv(65536)\n"
				 "        "
			      << body << "\n"
			      << "    except OSError: pass\n"
				 "    c.close()\n";
	return Server("python3 " + script + " " + file);
}

double seconds_of(const std::function<void()>& work)
{
	const auto begin = std::chrono::steady_clock::now();
	work();
	return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

TEST_CASE("a debug file comes from Debian's debuginfod, and a program that is not here, too")
{
	if (!has_library() || !has("debuginfod"))
		return;
	const Machine machine("20");
	const std::string port = std::to_string(20000 + ::getpid() % 20000);
	run("cp " + machine.program + " " + machine.root + "/served/");
	Server server("sh -c 'echo $$ " + port + "; exec debuginfod -F -p " + port + " -d :memory: -t 1 " +
		      machine.root + "/served >" + machine.root + "/log 2>&1'");
	std::optional<FoundFile> debug;
	for (int i = 0; i < 100 && !debug; i++) {
		std::this_thread::sleep_for(std::chrono::milliseconds(100));
		std::filesystem::remove_all(machine.root + "/cache"); // remembers what was not there
		debug = machine.found_with(server.url()).debug;
	}
	REQUIRE(debug);
	run("cmp /proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(debug->fd->get()) + " " +
	    machine.debug);
	run("mv " + machine.debug + " " + machine.root);
	auto online = Debuginfod::open(server.url());
	REQUIRE(online);
	CHECK((*online)->program(build_id));
	CHECK(!(*online)->debug_file("ffff6789abcdef0123"));
	CHECK(CodeSearch({{"/nowhere"}, {}, *online}).find({"/prog", build_id}));
}

TEST_CASE("a server that is not there is asked once")
{
	if (!has_library())
		return;
	const Machine machine;
	const FoundCode found = machine.found_with("http://127.0.0.1:9");
	CHECK(!found.debug);
	CHECK(found.program);
	CHECK(found.refused == "no debuginfod server answers: Connection refused");
	auto online = Debuginfod::open("http://127.0.0.1:9");
	REQUIRE(online);
	const auto first = (*online)->debug_file(build_id), second = (*online)->program("ffff");
	REQUIRE(!first);
	REQUIRE(!second);
	CHECK(second.error().message == first.error().message);
}

TEST_CASE("a server that accepts and says nothing is waited for once, as long as the limit says")
{
	if (!has_library())
		return;
	const Machine machine;
	const Server server = python(machine, machine.debug, "time.sleep(60)");
	auto online = Debuginfod::open(server.url());
	REQUIRE(online);
	CHECK(seconds_of([&] {
		      const auto file = (*online)->debug_file(build_id);
		      REQUIRE(!file);
		      CHECK(file.error().message.find("no debuginfod server answers: ") == 0);
	      }) < 15);
	CHECK(seconds_of([&] { CHECK(!(*online)->debug_file("ffff6789")); }) < 0.5);
}

TEST_CASE("a server that sends another file, or none, is not believed")
{
	if (!has_library())
		return;
	const Machine machine;
	run("cd " + machine.root + " && gcc -g -Wl,--build-id=0xffff01 main.c -o other");
	const std::string all = "c.sendall(head + b'Content-Length: %d\\r\\n\\r\\n' % len(f) + f)";
	{
		const FoundCode found = machine.found_with(python(machine, machine.root + "/other", all).url());
		CHECK(!found.debug);
		CHECK(found.refused == "a server has sent another file: its build-id is ffff01");
	}
	run("rm -r " + machine.root + "/cache");
	CHECK(machine.found_with(python(machine, machine.root + "/main.c", all).url()).refused ==
	      "a server has sent another file: it is no ELF file");
}

TEST_CASE("a file that ends too early is not used")
{
	if (!has_library())
		return;
	const Machine machine;
	const std::string half = "c.sendall(head + b'Content-Length: %d\\r\\n\\r\\n' % len(f) + f[:len(f) // 2])";
	const Server server = python(machine, machine.debug, half);
	const FoundCode found = machine.found_with(server.url());
	CHECK(found.program);
	CHECK(!found.debug);
	auto online = Debuginfod::open(server.url());
	REQUIRE(online);
	CHECK(!(*online)->debug_file(build_id));
}

TEST_CASE("a file without an end is given up at the limit, and other files are asked for")
{
	if (!has_library())
		return;
	const Machine machine;
	const Server server =
		python(machine, machine.debug,
		       "c.sendall(head + b'\\r\\n'); [c.sendall(bytes(1 << 16)) for _ in range(1 << 20)]");
	auto online = Debuginfod::open(server.url());
	REQUIRE(online);
	for (const std::string id : {build_id, "ffff6789"}) {
		const auto file = (*online)->debug_file(id);
		REQUIRE(!file);
		CHECK(file.error().message ==
		      "the debuginfod server has a file that is too large: DEBUGINFOD_MAXSIZE is its limit");
	}
}
