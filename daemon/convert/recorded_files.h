// SPDX-License-Identifier: GPL-2.0
// The files that a recording's processes have mapped, as far as they are still there, and their tables.
#pragma once

#include <set>

#include "app/counts.h"
#include "app/modules.h"
#include "app/table_shelf.h"
#include "convert/address_spaces.h"
#include "port/processes.h"

namespace uwind {

// A file of a recording. It may be gone, or another one by now: then it has only a name.
struct RecordedFile {
	ModuleId module = 0;
	Mapping mapping; // of the process that was met first
	std::string path;
	std::string build_id;   // as recorded; "": not known
	Arch arch = Arch::none; // none: it cannot be used
	bool is_asked = false;  // for its table
	bool has_table = false;
};

// For one thread. Files are not kept open: what has one's path is checked each time. What cannot be used is counted:
// files_not_opened, files_changed (another build-id, or another file has the path now), files_without_table,
// tables_rejected.
class RecordedFiles {
public:
	static constexpr std::size_t most_files = 65536; // further ones have no names, as files_not_followed

	struct Ports {
		Processes& processes;
		Objects& objects;
		Unwinder& unwinder;
	};
	struct Origin {
		const std::vector<PerfBuildId>& build_ids;
		bool is_our_kernel = false; // that was recorded: its vDSO is ours
		std::string perf_folder;    // where perf keeps copies of files by their build-ids; "": nowhere
	};
	RecordedFiles(const Ports& ports, Modules& modules, const Origin& origin);

	// Null: memory without a file.
	RecordedFile* of(RecordedMapping& mapping);
	// Its table. Null: it has none. It is made the first time.
	std::shared_ptr<const UnwindTable> table_of(RecordedFile& file);
	Counts counts() const { return counts_; }

private:
	using Key = std::tuple<std::string, std::string, std::uint64_t>; // path, build-id, inode
	struct Found {
		std::shared_ptr<UniqueFd> fd;
		FileIdentity identity;
		std::shared_ptr<const Object> object;
	};

	std::string build_id_of(const RecordedMapping& mapping) const;
	RecordedFile* add(const Mapping& mapping, const std::string& path, const std::string& build_id);
	void look(RecordedFile& file);
	Result<Found> find(const RecordedFile& file);
	Result<Found> open(const std::string& path);
	Result<Found> checked(Result<Found> found, const RecordedFile& file) const;
	void make_table(RecordedFile& file);
	void complain(const std::string& count, const Error& error);

	const Ports ports_;
	Modules& modules_;
	TableShelf shelf_;
	std::map<std::string, std::string> build_ids_; // by path
	const bool is_our_kernel_;
	const std::string perf_folder_;
	std::map<Key, RecordedFile> files_;
	std::uint64_t nameless_ = 0; // files that are not there
	Counts counts_;
	unsigned complaints_ = 0;
};

} // namespace uwind
