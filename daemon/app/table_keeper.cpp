// SPDX-License-Identifier: GPL-2.0
// Makes tables of files before they run, and keeps them for recordings.
#include "app/table_keeper.h"

#include <cerrno>

namespace uwind {

TableKeeper::TableKeeper(std::shared_ptr<Objects> objects, std::unique_ptr<ProgramFiles> files, Complain complain)
    : objects_(std::move(objects)), complain_(std::move(complain)), files_(std::move(files))
{
}

void TableKeeper::work()
{
	while (may_begin()) {
		if (auto found = next()) {
			if (*found)
				keep(std::move(**found));
			else
				fail(found->error());
		}
		end_one();
	}
}

// Waits as long as it is on hold. True: one more has begun.
bool TableKeeper::may_begin()
{
	std::unique_lock lock(mutex_);
	changed_.wait(lock, [this] { return stopped_ || !on_hold_; });
	if (stopped_ || walked_)
		return false;
	begun_++;
	return true;
}

void TableKeeper::end_one()
{
	std::lock_guard lock(mutex_);
	begun_--;
	changed_.notify_all();
}

// Another thread may have found that there is none.
std::optional<Result<ProgramFile>> TableKeeper::next()
{
	std::lock_guard walk(walk_);
	auto found = files_->next();
	std::lock_guard lock(mutex_);
	if (!found)
		walked_ = true;
	else if (*found)
		counts_.files++;
	return found;
}

bool TableKeeper::is_full() const
{
	std::lock_guard lock(mutex_);
	return counts_.full.has_value();
}

void TableKeeper::keep(ProgramFile file)
{
	if (is_full()) {
		std::lock_guard lock(mutex_);
		counts_.left++;
		return;
	}
	const auto object = objects_->open(std::make_shared<UniqueFd>(std::move(file.fd)));
	count(file.path, object ? (*object)->keep_table() : Result<KeptTableOutcome>(object.error()));
}

void TableKeeper::count(const std::string& path, const Result<KeptTableOutcome>& kept)
{
	if (!kept && kept.error().code != ENODATA && kept.error().code != ENOEXEC)
		return fail(kept.error(path));
	if (kept && !kept->stored && kept->stored.error().code == EFBIG)
		return fail(kept->stored.error(path));
	std::lock_guard lock(mutex_);
	if (!kept) {
		(kept.error().code == ENODATA ? counts_.without : counts_.others)++;
	} else if (!kept->stored) {
		counts_.left++;
		if (!counts_.full)
			counts_.full = kept->stored.error();
	} else {
		(kept->before ? counts_.before : counts_.made)++;
	}
}

void TableKeeper::fail(const Error& error)
{
	std::lock_guard lock(mutex_);
	counts_.failed++;
	if (!counts_.failure)
		counts_.failure = error.code;
	complain_(error);
}

void TableKeeper::stop()
{
	files_->stop();
	std::lock_guard lock(mutex_);
	stopped_ = true;
	counts_.stopped = !walked_;
	changed_.notify_all();
}

void TableKeeper::hold(bool on_hold)
{
	std::lock_guard lock(mutex_);
	on_hold_ = on_hold;
	changed_.notify_all();
}

bool TableKeeper::wait_until_done(std::chrono::milliseconds timeout)
{
	std::unique_lock lock(mutex_);
	return changed_.wait_for(lock, timeout, [this] { return (walked_ || stopped_) && !begun_; });
}

KeepCounts TableKeeper::counts() const
{
	std::lock_guard lock(mutex_);
	return counts_;
}

std::string in_words(const KeepCounts& counts)
{
	std::string text = std::to_string(counts.files) + (counts.files == 1 ? " file: " : " files: ");
	text += std::to_string(counts.made) + (counts.made == 1 ? " table made" : " tables made");
	const std::pair<std::uint64_t, const char*> more[] = {
		{counts.before, "kept already"},
		{counts.without, "without unwind information"},
		{counts.others, "of other machines or no programs"},
		{counts.failed, "failed"},
		{counts.left, "not looked at"},
	};
	for (const auto& [number, what] : more)
		if (number)
			text += ", " + std::to_string(number) + " " + what;
	return counts.stopped ? text + "; stopped before the end" : text;
}

} // namespace uwind
