// SPDX-License-Identifier: GPL-2.0
// Text on its way to a stream.
#include "base/text_writer.h"

#include <ostream>

namespace uwind {

TextWriter& TextWriter::operator<<(std::string_view text)
{
	if (kept_.size() + text.size() > max_kept)
		flush();
	if (text.size() > max_kept)
		out_.write(text.data(), static_cast<std::streamsize>(text.size()));
	else
		kept_ += text;
	return *this;
}

void TextWriter::flush()
{
	out_.write(kept_.data(), static_cast<std::streamsize>(kept_.size()));
	kept_.clear();
}

} // namespace uwind
