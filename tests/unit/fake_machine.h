// SPDX-License-Identifier: GPL-2.0
// Processes, files, tables and a clock in memory.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <sys/stat.h>
#include <thread>

#include "app/recording.h"
#include "base/text.h"
#include "port/program_files.h"
#include "unit/fake_kernel.h"
#include "walk/unwinder.h"

namespace uwind {

// A file: its descriptor is a real one (of /dev/null), known by its number.
struct FakeFile {
	std::string path;
	FileIdentity identity;
	ObjectFacts facts;
	std::vector<Symbol> symbols;
	bool has_table = true;
	TableRows rows; // of the table; empty: any
	std::string sframe_refused;
	std::uint64_t entry_bytes = 0;
	std::shared_future<void> table_waits; // for what the table is made; not valid: for nothing
	std::optional<Error> refused = {};    // keep_table()'s answer
	bool kept = false;
	Status stored = Nothing{};
};

class FakeFiles {
public:
	FakeFile& add(const std::string& path)
	{
		FakeFile& file = files_[path];
		file.path = path;
		file.identity = {8, 1, 100 + files_.size(), 4096, 1};
		file.facts.segments = {{0x400000, 0x10000, 0}};
		file.facts.build_id = "abcd";
		return file;
	}

	Result<OpenedFile> open(const std::string& name)
	{
		std::lock_guard lock(mutex_);
		const std::string path = links_.contains(name) ? links_[name] : name;
		if (!files_.contains(path))
			return Error{ENOENT, path};
		OpenedFile opened;
		opened.fd = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
		opened.identity = files_[path].identity;
		opened.path = path;
		opened_[opened.fd.get()] = path;
		return opened;
	}

	FakeFile& of(int fd)
	{
		std::lock_guard lock(mutex_);
		return files_[opened_[fd]];
	}

	std::map<std::string, FakeFile> files_;
	std::map<std::string, std::string> links_; // other names, and where they lead

private:
	std::mutex mutex_;
	std::map<int, std::string> opened_;
};

class FakeProcesses : public Processes {
public:
	explicit FakeProcesses(FakeFiles& files) : files_(files) {}

	std::vector<std::uint32_t> pids() override
	{
		std::vector<std::uint32_t> result;
		for (const auto& [pid, mappings] : mappings_)
			result.push_back(pid);
		return result;
	}

	Result<std::vector<Mapping>> mappings(std::uint32_t pid) override
	{
		if (!mappings_.contains(pid) || readings_left_-- <= 0)
			return Error{ESRCH, "gone"};
		return mappings_[pid];
	}

	Result<ProcessFacts> describe(std::uint32_t pid) override
	{
		if (!facts_.contains(pid))
			return Error{ESRCH, "gone"};
		return facts_[pid];
	}

	Result<OpenedFile> open_mapped(std::uint32_t, const Mapping& mapping) override
	{
		opened_mapped_++;
		auto file = files_.open(mapping.path);
		if (file && file->identity.inode != mapping.inode)
			return Error{ESTALE, "another file"};
		return file;
	}

	Result<OpenedFile> open_path(const std::string& path) override { return files_.open(path); }

	Result<UniqueFd> open_vdso() override
	{
		auto file = files_.open("vdso");
		if (!file)
			return file.error();
		return std::move(file->fd);
	}

	Result<UniqueFd> open_vdso_of(std::uint32_t, const Mapping&) override { return open_vdso(); }

	Host host() override { return {"6.1", "", "box", "boot", "0", 0}; }

	// Maps all of the file in the process, from address on.
	Mapping map(std::uint32_t pid, const std::string& path, std::uint64_t address)
	{
		const FileIdentity& id = files_.files_.at(path).identity;
		Mapping mapping{address, address + 0x10000, 0, id.dev_major, id.dev_minor, id.inode, path};
		mappings_[pid].push_back(mapping);
		return mapping;
	}

	std::map<std::uint32_t, std::vector<Mapping>> mappings_;
	std::map<std::uint32_t, ProcessFacts> facts_;
	std::atomic<int> opened_mapped_ = 0;
	std::atomic<int> readings_left_ = 1000; // of mappings, until all processes are gone

private:
	FakeFiles& files_;
};

class FakeObject : public Object {
public:
	FakeObject(FakeFile& file, std::atomic<int>& built) : file_(file), built_(built) {}
	ObjectFacts facts() const override { return file_.facts; }
	std::uint64_t entry_bytes() const override { return file_.entry_bytes; }
	Functions functions(const std::string&) const override { return {file_.symbols, ""}; }
	Result<KeptTableOutcome> keep_table() const override
	{
		if (file_.refused)
			return *file_.refused;
		wait();
		return KeptTableOutcome{std::exchange(file_.kept, true), file_.stored};
	}
	Result<FileContent> table() const override
	{
		built_++;
		wait();
		if (!file_.has_table)
			return Error{ENODATA, "no unwind data"};
		TableRows rows = file_.rows;
		if (rows.rows.empty()) {
			rows.rows = {{0, 0}};
			rows.rules.resize(1);
		}
		rows.method = unsigned(Method::EH_FRAME);
		return FileContent{rows, file_.sframe_refused};
	}

private:
	void wait() const
	{
		if (file_.table_waits.valid())
			file_.table_waits.wait();
	}

	FakeFile& file_;
	std::atomic<int>& built_;
};

class FakeObjects : public Objects {
public:
	explicit FakeObjects(FakeFiles& files) : files_(files) {}
	Result<std::unique_ptr<Object>> open(std::shared_ptr<UniqueFd> fd) override
	{
		opened_++;
		return std::unique_ptr<Object>(std::make_unique<FakeObject>(files_.of(fd->get()), built_));
	}

	std::atomic<int> opened_ = 0;
	std::atomic<int> built_ = 0; // tables

private:
	FakeFiles& files_;
};

// A walk over all of the files that are named, and errors among them.
class FakeProgramFiles : public ProgramFiles {
public:
	FakeProgramFiles(FakeFiles& files, std::vector<std::string> names) : files_(files), names_(std::move(names)) {}

	std::optional<Result<ProgramFile>> next() override
	{
		if (next_ == names_.size() || stopped_)
			return std::nullopt;
		const std::string& name = names_[next_++];
		auto file = files_.open(name);
		if (!file)
			return file.error();
		return ProgramFile{name, std::move(file->fd)};
	}
	void stop() override { stopped_ = true; }

private:
	FakeFiles& files_;
	const std::vector<std::string> names_;
	std::size_t next_ = 0;
	std::atomic<bool> stopped_ = false;
};

class FakeClock : public Clock {
public:
	std::uint64_t boottime_ns() override
	{
		return std::chrono::duration_cast<std::chrono::nanoseconds>(
			       std::chrono::steady_clock::now().time_since_epoch())
			.count();
	}
	std::int64_t seconds_since_1970() override { return 1'700'000'000; }
};

class FakeThreads : public Threads {
public:
	void prefer_this_one() override {}
	int make_this_one_wait() override { return ++waiting_; }
	void let_run(int) override { let_run_++; }

	std::atomic<int> waiting_ = 0, let_run_ = 0;
};

// A symbol each 4 KiB, the upper half of them in a module.
class FakeKernelNames : public KernelNames {
public:
	static constexpr std::uint64_t start = 0xffffffff81000000, module_start = 0xffffffff81800000;

	std::vector<std::optional<KernelName>> find(const std::vector<std::uint64_t>& addresses) override
	{
		finds++;
		std::vector<std::optional<KernelName>> names;
		for (const std::uint64_t address : addresses) {
			if (address < start)
				names.emplace_back();
			else
				names.push_back(name_of(address));
		}
		return names;
	}

	KernelName name_of(std::uint64_t address) const
	{
		const std::string module = address < module_start ? "" : "module";
		const auto known = functions.find(address);
		if (known != functions.end())
			return {known->second, 0, module};
		return {"function_" + hex(address >> 12), address & 0xfff, module};
	}

	KernelModule module(const std::string& name) override
	{
		return name.empty() ? KernelModule{0, "abcd"} : KernelModule{module_start, ""};
	}

	// The scheduler's functions are the first page.
	std::vector<std::uint64_t> addresses_of(const std::vector<std::string>& symbols) override
	{
		const std::map<std::string, std::uint64_t> known = {
			{"_text", start}, {"__sched_text_start", start}, {"__sched_text_end", start + 0x1000}};
		std::vector<std::uint64_t> addresses;
		for (const std::string& symbol : symbols)
			addresses.push_back(known.contains(symbol) ? known.at(symbol) : 0);
		return addresses;
	}

	std::vector<std::optional<KernelSignature>> signatures(const std::vector<KernelName>& of) override
	{
		std::vector<std::optional<KernelSignature>> found;
		for (const KernelName& function : of)
			found.push_back(known_signatures.contains(function.symbol)
						? std::optional(known_signatures[function.symbol])
						: std::nullopt);
		return found;
	}

	std::string syscall_name(std::uint32_t number, bool compat) override
	{
		return (compat ? "compat_" : "") + calls[number];
	}

	std::map<std::uint32_t, std::string> calls;
	std::map<std::string, KernelSignature> known_signatures; // by function
	std::map<std::uint64_t, std::string> functions;          // by address: others are called by their page
	int finds = 0;                                           // how many
};

// All of it.
struct FakeMachine {
	FakeFiles files;
	FakeKernel kernel;
	FakeStream stream;
	FakeProcesses processes{files};
	FakeObjects objects{files};
	FakeClock clock;
	FakeThreads threads;
	CoreUnwinder unwinder;
	FakeKernelNames kernel_names;
	std::uint64_t sequence = 0;

	FakeMachine() { files.add("vdso"); }

	Ports ports() { return {kernel, stream, processes, objects, clock, threads, unwinder, kernel_names}; }

	void send(std::vector<Record> records)
	{
		RecordBatch batch;
		batch.session = FakeKernel::session;
		batch.sequence = sequence++;
		batch.records = std::move(records);
		stream.send(std::move(batch));
	}
};

inline FileRecord file_record(std::uint32_t number, std::uint32_t tgid, const Mapping& mapping,
			      const FileIdentity& identity)
{
	FileRecord record;
	record.number = number;
	record.no_table = true;
	record.tgid = tgid;
	record.mapping = mapping;
	record.identity = identity;
	return record;
}

inline StackFrame frame(std::uint64_t pc, std::uint64_t offset, std::uint32_t file, Method method)
{
	return {pc, offset, file, 16, method};
}

inline std::shared_ptr<const StackPart> stack_part(std::vector<StackFrame> frames, Stop stop)
{
	const std::size_t depth = frames.size();
	return std::make_shared<StackPart>(StackPart{std::move(frames), nullptr, stop, 1, depth});
}

inline StackRecord stack_record(std::uint32_t tgid, std::vector<StackFrame> frames, Stop stop = Stop::OUTERMOST)
{
	StackRecord record;
	record.tgid = record.tid = tgid;
	record.weight = 1;
	record.comm = "comm" + std::to_string(tgid);
	record.start_time_ns = 12'345'678'901;
	record.stack = stack_part(std::move(frames), stop);
	return record;
}

inline bool never()
{
	return false;
}

} // namespace uwind
