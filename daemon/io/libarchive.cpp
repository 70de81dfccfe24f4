// SPDX-License-Identifier: GPL-2.0
// libarchive, loaded by who writes or reads an archive.
#include "io/libarchive.h"

#include <cerrno>
#include <string>

#include "io/loaded_library.h"

namespace uwind {
namespace {

constexpr char library_name[] = "libarchive.so.13";

bool look_up_all(const LoadedLibrary& code, Libarchive& library)
{
	const auto look_up = [&code](const char* name, auto& function) { return code.look_up(name, function); };
	return look_up("archive_error_string", library.error_string) &&
	       look_up("archive_entry_new", library.entry_new) && look_up("archive_entry_free", library.entry_free) &&
	       look_up("archive_entry_set_pathname", library.entry_set_pathname) &&
	       look_up("archive_entry_set_filetype", library.entry_set_filetype) &&
	       look_up("archive_entry_set_perm", library.entry_set_perm) &&
	       look_up("archive_entry_set_size", library.entry_set_size) &&
	       look_up("archive_entry_set_mtime", library.entry_set_mtime) &&
	       look_up("archive_entry_pathname", library.entry_pathname) &&
	       look_up("archive_entry_filetype", library.entry_filetype) &&
	       look_up("archive_entry_hardlink", library.entry_hardlink) &&
	       look_up("archive_write_new", library.write_new) && look_up("archive_write_free", library.write_free) &&
	       look_up("archive_write_set_format_pax_restricted", library.write_set_format_pax_restricted) &&
	       look_up("archive_write_add_filter_zstd", library.write_add_filter_zstd) &&
	       look_up("archive_write_set_bytes_in_last_block", library.write_set_bytes_in_last_block) &&
	       look_up("archive_write_open", library.write_open) &&
	       look_up("archive_write_header", library.write_header) &&
	       look_up("archive_write_data", library.write_data) &&
	       look_up("archive_write_close", library.write_close) && look_up("archive_read_new", library.read_new) &&
	       look_up("archive_read_free", library.read_free) &&
	       look_up("archive_read_support_filter_zstd", library.read_support_filter_zstd) &&
	       look_up("archive_read_support_format_tar", library.read_support_format_tar) &&
	       look_up("archive_read_open_filename", library.read_open_filename) &&
	       look_up("archive_read_next_header", library.read_next_header) &&
	       look_up("archive_read_data_block", library.read_data_block);
}

Result<Libarchive> load()
{
	static const LoadedLibrary code(library_name);
	Libarchive library;
	if (!code)
		return Error{ENOENT, std::string("archives cannot be written or read without ") + library_name +
					     ": install the package libarchive13"};
	if (!look_up_all(code, library))
		return Error{ENOENT,
			     std::string(library_name) + " cannot be used: install libarchive13 of 3.6 or later"};
	return library;
}

} // namespace

Result<const Libarchive*> libarchive()
{
	static const Result<Libarchive> library = load();
	return library ? Result<const Libarchive*>(&*library) : library.error();
}

} // namespace uwind
