// SPDX-License-Identifier: GPL-2.0
// Stacks as lines of text, folded: "comm;outermost;…;innermost".
#pragma once

#include <iosfwd>
#include <string>

#include "model/report.h"

namespace uwind {

// "FOLDED WEIGHT" for flame graphs: one line per different text, sorted. Samples without a stack are left out.
void write_folded(const Report& report, std::ostream& out);
// The same from the innermost frame outwards: what is called most comes together.
void write_folded_inverted(const Report& report, std::ostream& out);

// "COOKIE TID FOLDED", a line per sample: to be joined with what a BPF program wrote when it asked.
void write_cookies(const Report& report, std::ostream& out);

// A frame as people read it: the symbol, else "[module+0xoffset]", else the address.
std::string frame_text(const Report& report, Index frame);
// The same with where it is in its function, and that one's file, and the line of its source if that is known:
// "main+0x20  prog  prog.c:12", or "f (inlined)  prog.c:12".
std::string place_text(const Report& report, Index frame);

} // namespace uwind
