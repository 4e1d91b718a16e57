// A page as data, and the one place that turns it into HTML.
//
// The page is one file that contains its style, script and charting library. It requests nothing
// over the network (its content security policy forbids it) and opens from a disk. Every text is
// shown as text, whatever it holds. Every number carries all its digits, in the `value` of its
// <data> element and on hover, so that a page can be checked against its JSON.
//
//   Page page;
//   page.title = "Topics";
//   page.sections.push_back({"Result"});
//   page.sections.back().paragraphs.push_back({"The error is ", 0.0123456789, "."});
//   page.sections.back().charts.push_back(chart);
//   folder.write_text("report.html", render(page));
//
// Pages stay under 2 MB: a table shows its first rows, a list of cards its first cards and a series
// of a chart evenly spaced points. Each says what was left out.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sotto/report/chart.h"

namespace sotto {

// A run of text or a number; converts from either, so that lines read as they are written.
struct Cell {
  Cell(std::string value) : text(std::move(value)) {}          // NOLINT: implicit
  Cell(const char* value) : text(value) {}                     // NOLINT: implicit
  Cell(double value);                                          // NOLINT: implicit
  Cell(std::int64_t value);                                    // NOLINT: implicit
  Cell(int value) : Cell(static_cast<std::int64_t>(value)) {}  // NOLINT: implicit
  Cell(double value, std::string shown);  // a number with its own text, "2.1 s"

  std::string text;   // as shown; a double has four digits
  std::string exact;  // a number with all its digits, as JSON writes it; empty for text
};

using Line = std::vector<Cell>;

struct PageTable {
  std::string caption;  // may be empty
  std::vector<std::string> head;
  std::vector<Line> rows;  // each as long as the head
};

// A short list with bars: the words of a topic. The length of a bar is the size of its value
// relative to the largest of the card. Where a card of the section has a negative value, bars start
// in the middle and those below zero go to the left.
struct PageCard {
  Line title;
  std::vector<std::pair<std::string, double>> bars;
};

// Fields are shown in their order; empty ones are not shown.
struct PageSection {
  std::string heading = {};
  std::vector<Line> paragraphs = {};
  std::vector<std::pair<std::string, Cell>> facts = {};  // a name and its value
  std::vector<Chart> charts = {};
  std::vector<PageCard> cards = {};
  std::vector<PageTable> tables = {};
  std::string preformatted = {};  // a command line
  bool folded = false;            // closed until the reader opens it; open in print
};

enum class PageMark { none, good, bad };

struct Page {
  std::string title;
  Line subtitle;
  // One sentence under the title that nobody should miss: whether this is private.
  Line notice;
  PageMark mark = PageMark::none;
  std::vector<PageSection> sections;
  Line footer;
};

std::string render(const Page& page);

}  // namespace sotto
