// SPDX-License-Identifier: GPL-2.0
// The module's numbers as text, one "name value" per line.
#include "export/status.h"

#include <cstdio>
#include <ostream>

namespace uwind {
namespace {

template <typename Value>
void line(const std::string& name, const Value& value, std::ostream& out)
{
	out << name << std::string(name.size() < 24 ? 24 - name.size() : 1, ' ') << value << '\n';
}

} // namespace

void write_status(const ModuleVersion& version, const ModuleStats& stats, std::ostream& out)
{
	line("module", version.version, out);
	line("abi", version.abi, out);
	line("arch", name_of(version.arch), out);
	line("tables", stats.tables, out);
	line("table_bytes", stats.table_bytes, out);
	line("table_budget_bytes", stats.table_budget_bytes, out);
	line("tables_refused", stats.tables_refused, out);
	line("tables_distrusted", stats.tables_distrusted, out);
	line("files", stats.files, out);
	line("files_refused", stats.files_refused, out);
	line("sections_refused", stats.sections_refused, out);
	line("children_missed", stats.children_missed, out);
	line("periods_missed", stats.periods_missed, out);
	line("throttled", stats.throttled, out);
	line("counters_failed", stats.counters_failed, out);
	line("spaces", stats.spaces, out);
	line("sessions", stats.sessions, out);
	line("requests_open", stats.requests_open, out);
	line("requested", stats.requested, out);
	line("answered", stats.answered, out);
	line("frames", stats.frames, out);
	line("shadow_checked", stats.shadow_checked, out);
	line("text_reported", stats.text_reported, out);
	line("text_lost", stats.text_lost, out);
	for (const auto& [loss, count] : stats.lost)
		line("lost." + name_of(loss), count, out);
	for (const auto& [stop, count] : stats.stops)
		if (stop != Stop::NONE)
			line("stops." + name_of(stop), count, out);
}

void write_tables(const std::vector<TableInfo>& tables, std::ostream& out)
{
	char text[128];
	std::snprintf(text, sizeof(text), "%8s %-12s %9s %7s %10s %8s  ", "TABLE", "METHOD", "ROWS", "RULES", "BYTES",
		      "OWNER");
	out << text << "FILE\n";
	for (const TableInfo& table : tables) {
		std::snprintf(text, sizeof(text), "%8u %-12s %9u %7u %10llu %8u  ", table.table,
			      name_of(table.method).c_str(), table.rows, table.rules,
			      static_cast<unsigned long long>(table.bytes), table.owner_pid);
		out << text << (table.path.empty() ? "-" : table.path) << '\n';
	}
}

} // namespace uwind
