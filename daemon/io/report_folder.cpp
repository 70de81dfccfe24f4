// SPDX-License-Identifier: GPL-2.0
// The folder in which the service stores its reports.
#include "io/report_folder.h"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "io/output_file.h"

namespace uwind {
namespace {

namespace fs = std::filesystem;

constexpr char prefix[] = "uwind-";
constexpr char suffix[] = ".json";
constexpr std::size_t temporary_suffix = 7; // ".XXXXXX", as OutputFile makes

bool is_report(const std::string& name)
{
	return name.starts_with(prefix) && name.ends_with(suffix);
}

bool is_leftover(const std::string& name)
{
	return name.size() > temporary_suffix && name[name.size() - temporary_suffix] == '.' &&
	       is_report(name.substr(0, name.size() - temporary_suffix));
}

std::vector<std::string> names_in(const std::string& path, bool (*wanted)(const std::string&))
{
	std::vector<std::string> names;
	std::error_code error;
	for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
		if (auto name = entry->path().filename().string(); wanted(name))
			names.push_back(std::move(name));
	std::sort(names.begin(), names.end());
	return names;
}

} // namespace

Result<ReportFolder> ReportFolder::open(const std::string& path, std::size_t keep)
{
	std::error_code error;
	const fs::path folder(path);
	if (folder.has_parent_path())
		fs::create_directories(folder.parent_path(), error);
	if (::mkdir(path.c_str(), 0750) < 0 && errno != EEXIST)
		return errno_error(errno, path);
	if (!fs::is_directory(folder, error))
		return errno_error(ENOTDIR, path);
	if (::access(path.c_str(), W_OK | X_OK) < 0)
		return errno_error(errno, path);
	for (const auto& name : names_in(path, is_leftover))
		::unlink((folder / name).c_str());
	return ReportFolder(path, keep);
}

// Two reports may start in the same second if the clock was set back.
std::string ReportFolder::free_name(const std::string& started) const
{
	std::string time = started;
	std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
	const std::string stem = path_ + "/" + prefix + time;
	for (char again = 'a'; again <= 'z'; again++) {
		std::string name = stem + (again == 'a' ? "" : std::string("-") + again) + suffix;
		if (::access(name.c_str(), F_OK) < 0)
			return name;
	}
	return stem + suffix;
}

void ReportFolder::remove_oldest() const
{
	const auto names = names_in(path_, is_report);
	for (std::size_t i = 0; i + keep_ < names.size(); i++)
		::unlink((path_ + "/" + names[i]).c_str());
}

Status ReportFolder::store(const std::string& started, const std::function<void(std::ostream&)>& writer)
{
	auto file = OutputFile::create(free_name(started), 0640, OutputFile::Older::replace);
	if (!file)
		return file.error();
	if (auto written = file->write(writer); !written)
		return written;
	auto committed = file->commit();
	remove_oldest();
	return committed;
}

} // namespace uwind
