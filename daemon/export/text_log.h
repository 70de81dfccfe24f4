// SPDX-License-Identifier: GPL-2.0
// The file format of a log of the kernel's text: uwind-text-log(5) documents it.
#pragma once

#include <string>

#include "base/byte_cursor.h"
#include "base/result.h"
#include "model/text_log.h"

namespace uwind {

// What a file begins with.
std::string text_log_head(const TextLogHead& head);
// An entry, which can be appended at once.
std::string text_log_entry(const TextEntry& entry);

constexpr char first_of_text_log = 'u'; // byte: no JSON begins with it

// A file that is cut short is read up to its last whole entry. EPROTO: it is none, or of another version; EINVAL: it
// contradicts itself.
Result<TextLog> read_text_log(Bytes file);

} // namespace uwind
