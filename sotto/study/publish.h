// The files of an experiment: data.csv (every trial), figure.svg, summary.json (what the paper
// states, what was measured, the same or not) and report.html; and the document made from the
// summaries of a full run.
#pragma once

#include <string>
#include <vector>

#include "sotto/report/page.h"
#include "sotto/study/study.h"

namespace sotto {

Json summary_of(const Study& study, const StudySettings& settings, const StudyTable& table,
                const StudyOutcome& outcome);

std::string data_csv(const StudyTable& table);

// A section of report.html.
PageSection section_of(const Json& summary, const StudyOutcome& outcome);
Page page_of(std::vector<PageSection> sections);

// Writes all four into the folder that has cells.csv; summary.json last.
void publish(const std::string& directory, const Json& summary, const StudyTable& table,
             const StudyOutcome& outcome);

// docs/reproduction.md: one section per summary, in the order of all_studies(). It is made of the
// summaries alone, so it cannot differ from them.
std::string reproduction_document(const std::vector<Json>& summaries);

}  // namespace sotto
