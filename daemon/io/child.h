// SPDX-License-Identifier: GPL-2.0
// A command that is started in two steps: it exists, then it executes.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

// The file that execvp() would execute. ENOENT: there is none.
Result<std::string> find_program(const std::string& name);

class Child {
public:
	// Forks; the child waits for execute(). Call it before making threads.
	static Result<Child> prepare(const std::string& program, const std::vector<std::string>& arguments);
	Child(Child&& other) noexcept;
	Child& operator=(Child&&) = delete;
	~Child(); // a child that still waits ends

	pid_t pid() const { return pid_; }
	// Returns when exec has succeeded or failed.
	Status execute();
	// Its exit status once it has ended, 128 + signal if one killed it.
	std::optional<int> ended();
	void send(int signal);

private:
	Child(pid_t pid, UniqueFd go, UniqueFd failure);

	pid_t pid_;
	UniqueFd go_;      // a byte releases the child, the end makes it exit
	UniqueFd failure_; // errno of exec, or the end if it succeeded
	std::optional<int> status_;
};

} // namespace uwind
