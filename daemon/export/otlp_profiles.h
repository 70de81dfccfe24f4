// SPDX-License-Identifier: GPL-2.0
// A report as resources of an OTLP message, one after the other, and what they refer to.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "export/measures.h"
#include "export/otlp_dictionary.h"
#include "export/wall_clock.h"
#include "model/report.h"

namespace uwind {

class OtlpProfiles {
public:
	explicit OtlpProfiles(const Report& report);

	// Each as a message with that resource alone; then the one with the dictionary.
	void each_resource(const std::function<void(const otlp::ProfilesData&)>& visit);
	const otlp::ProfilesData& dictionary() const { return dictionary_.message(); }

private:
	using Samples = std::vector<ReportSample>;

	void set_resource(const ReportProcess& process, otlp::Resource& resource) const;
	void set(otlp::ValueType& type, const std::string& name, const char* unit);
	void fill(const Measure& measure, const Samples& samples, otlp::Profile& profile);
	void add_samples(const Measure& measure, const Samples& samples, otlp::Profile& profile);
	std::vector<std::int32_t> attributes_of(const ReportSample& sample);
	void add_losses(otlp::Profile& profile);

	const Report& report_;
	const WallClock clock_;
	const std::vector<Measure> measures_;
	OtlpDictionary dictionary_;
	bool losses_ = false; // have been written
};

} // namespace uwind
