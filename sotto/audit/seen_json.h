// What was seen of a run as JSON, from the process of the run to that of the audit.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "sotto/audit/seen_run.h"

namespace sotto::audit {

nlohmann::ordered_json to_json(const SeenRun& run);
SeenRun seen_run(const nlohmann::ordered_json& json);

// Of a certificate, what an audit reads: the claim, the statement and the costs of the releases.
nlohmann::ordered_json to_json(const Certificate& certificate);
Certificate certificate_of(const nlohmann::ordered_json& json);

// The numbers of a result, by their place, and its words.
void add_result(const nlohmann::ordered_json& result, SeenRun& run);

}  // namespace sotto::audit
