// SPDX-License-Identifier: GPL-2.0
// The files that frames lie in: by the module's file number, with what is known of each.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/handle.h"
#include "model/records.h"
#include "port/objects.h"

namespace uwind {

using ModuleId = std::uint32_t;

// The path under which /proc and reports show the vDSO.
inline constexpr char vdso_path[] = "[vdso]";

// What is known of a file. Copies share fd, which keeps the file open.
struct Module {
	std::string path;
	FileIdentity identity;
	std::uint32_t number = 0;     // the first one that was bound to it; 0: none yet
	std::optional<Method> method; // of its table; nothing: it has none, or none yet
	std::uint32_t table = 0;      // number of the table that this program made; 0: none
	std::uint64_t rows = 0;
	std::uint64_t bytes = 0;
	// CLOCK_BOOTTIME: since when it has this table, or is known to have none.
	std::optional<std::uint64_t> table_known_ns;
	ObjectFacts facts;
	std::shared_ptr<UniqueFd> fd;
	std::uint64_t last_used = 0;
};

// Safe to use from several threads.
class Modules {
public:
	struct Limits {
		std::size_t open_files = 512; // the least recently used are closed
		std::size_t identities = 64;  // of one file; another one takes the place of one that it had
	};

	explicit Modules(Limits limits) : limits_(limits) {}
	Modules() : Modules(Limits{}) {}

	struct Added {
		ModuleId id;
		bool is_new; // or it had no path before, and so could not be opened
	};
	Added add(const FileIdentity& identity, const std::string& path);
	void set_path(ModuleId id, const std::string& path);
	void bind(std::uint32_t file_number, ModuleId id);
	// By what lies at a sampled address now, which may be another file: nothing changes if the number is known.
	void bind_unknown(std::uint32_t file_number, ModuleId id);
	std::optional<ModuleId> of_number(std::uint32_t file_number);
	// The file that is mapped there. Nothing: it is not known, or several states of it are.
	std::optional<ModuleId> of_mapping(const Mapping& mapping);
	// A number that is bound to it: the module's, or if there is none one that the module does not use. 0: it is
	// forgotten.
	std::uint32_t number_of(ModuleId id);

	void set_object(ModuleId id, ObjectFacts facts, std::shared_ptr<UniqueFd> fd);
	void set_table(ModuleId id, Method method, std::uint32_t table, std::uint64_t rows, std::uint64_t bytes);
	void set_table_known(ModuleId id, std::uint64_t since_ns);
	// It has its table, or is known to have none.
	bool table_known(ModuleId id);
	bool has_table(ModuleId id);

	std::optional<Module> get(ModuleId id);
	// Forgets at most so many files that were used neither in this period nor in the
	// last one, the longest unused first. Returns the numbers of their tables.
	std::vector<std::uint32_t> give_up_unused(std::size_t most);
	void next_period();
	std::size_t size();

private:
	Module* find(ModuleId id);
	std::optional<ModuleId> on_other_device(const FileIdentity& identity, const std::string& path) const;
	void bind_locked(std::uint32_t file_number, ModuleId id);
	static bool name_nameless(Module& module, const std::string& path);
	void remember_open(ModuleId id);
	void forget(ModuleId id);
	std::vector<ModuleId> unused(std::size_t most) const;

	const Limits limits_;
	std::mutex mutex_; // guards what follows
	std::map<ModuleId, Module> modules_;
	std::map<FileIdentity, ModuleId> by_identity_; // a file below overlays has several
	std::unordered_map<std::uint32_t, ModuleId> by_number_;
	std::list<ModuleId> open_; // most recently used first
	std::uint64_t period_ = 0;
	ModuleId next_ = 0;
};

} // namespace uwind
