// SPDX-License-Identifier: GPL-2.0
// Starts a command in two steps: first its process exists, then it executes the program.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

// The file that execvp() executes for this name. ENOENT: there is none.
Result<std::string> find_program(const std::string& name);

class Child {
public:
	// Forks. The child waits for execute(). Must be called before threads are started.
	static Result<Child> prepare(const std::string& program, const std::vector<std::string>& arguments);
	Child(Child&& other) noexcept;
	Child& operator=(Child&&) = delete;
	~Child(); // ends a child that still waits

	pid_t pid() const { return pid_; }
	// Lets the child execute. Returns once exec has succeeded or failed.
	Status execute();
	// The exit status, or 128 + the signal that killed it. Nothing: it runs.
	std::optional<int> ended();
	void send(int signal);

private:
	Child(pid_t pid, UniqueFd go, UniqueFd failure);

	pid_t pid_;
	UniqueFd go_;      // a byte lets the child execute, end of file makes it exit
	UniqueFd failure_; // errno of exec, or end of file if it succeeded
	std::optional<int> status_;
};

} // namespace uwind
