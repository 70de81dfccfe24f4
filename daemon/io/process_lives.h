// SPDX-License-Identifier: GPL-2.0
// Processes' lives as BPF programs tell of them.
#pragma once

#include <memory>

#include "port/process_lives.h"

namespace uwind {

class BpfProcessLives : public ProcessLives {
public:
	BpfProcessLives();
	~BpfProcessLives() override;

	Status watch(const SessionOptions& session) override;
	std::vector<std::string> untold() const override;
	std::vector<LifeRecord> wait(std::chrono::milliseconds timeout) override;
	void interrupt() override;
	std::uint64_t lost() const override;

private:
	struct Loaded;

	std::unique_ptr<Loaded> loaded_; // null: nothing is told
};

} // namespace uwind
