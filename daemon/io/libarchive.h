// SPDX-License-Identifier: GPL-2.0
// libarchive, loaded by who writes or reads an archive: it brings large libraries for formats that are not used here.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include "base/result.h"

namespace uwind {

// Its functions, by their names without "archive_".
struct Libarchive {
	decltype(&::archive_error_string) error_string = nullptr;

	decltype(&::archive_entry_new) entry_new = nullptr;
	decltype(&::archive_entry_free) entry_free = nullptr;
	decltype(&::archive_entry_set_pathname) entry_set_pathname = nullptr;
	decltype(&::archive_entry_set_filetype) entry_set_filetype = nullptr;
	decltype(&::archive_entry_set_perm) entry_set_perm = nullptr;
	decltype(&::archive_entry_set_size) entry_set_size = nullptr;
	decltype(&::archive_entry_set_mtime) entry_set_mtime = nullptr;
	decltype(&::archive_entry_pathname) entry_pathname = nullptr;
	decltype(&::archive_entry_filetype) entry_filetype = nullptr;
	decltype(&::archive_entry_hardlink) entry_hardlink = nullptr;

	decltype(&::archive_write_new) write_new = nullptr;
	decltype(&::archive_write_free) write_free = nullptr;
	decltype(&::archive_write_set_format_pax_restricted) write_set_format_pax_restricted = nullptr;
	decltype(&::archive_write_add_filter_zstd) write_add_filter_zstd = nullptr;
	decltype(&::archive_write_set_bytes_in_last_block) write_set_bytes_in_last_block = nullptr;
	decltype(&::archive_write_open) write_open = nullptr;
	decltype(&::archive_write_header) write_header = nullptr;
	decltype(&::archive_write_data) write_data = nullptr;
	decltype(&::archive_write_close) write_close = nullptr;

	decltype(&::archive_read_new) read_new = nullptr;
	decltype(&::archive_read_free) read_free = nullptr;
	decltype(&::archive_read_support_filter_zstd) read_support_filter_zstd = nullptr;
	decltype(&::archive_read_support_format_tar) read_support_format_tar = nullptr;
	decltype(&::archive_read_open_filename) read_open_filename = nullptr;
	decltype(&::archive_read_next_header) read_next_header = nullptr;
	decltype(&::archive_read_data_block) read_data_block = nullptr;
};

// It stays loaded. ENOENT: it is not installed; the message says which package has it.
Result<const Libarchive*> libarchive();

} // namespace uwind
