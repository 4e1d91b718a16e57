#include "sotto/report/markdown.h"

#include <string_view>

namespace sotto {
namespace {

std::string line_text(const Line& line) {
  std::string text;
  for (const Cell& cell : line) text += markdown_text(cell.text);
  return text;
}

std::string row_text(const Line& row) {
  std::string text = "|";
  for (const Cell& cell : row) text += " " + markdown_text(cell.text) + " |";
  return text + "\n";
}

std::string table_text(const PageTable& table) {
  std::string text = table.caption.empty() ? "" : markdown_text(table.caption) + "\n\n";
  text += row_text(Line(table.head.begin(), table.head.end())) + "|";
  for (std::size_t n = 0; n < table.head.size(); ++n) text += "---|";
  text += "\n";
  for (const Line& row : table.rows) text += row_text(row);
  return text + "\n";
}

}  // namespace

std::string markdown_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>#|&").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string markdown_of(const PageSection& section) {
  std::string text = "## " + markdown_text(section.heading) + "\n\n";
  for (const Line& line : section.paragraphs) text += line_text(line) + "\n\n";
  for (const auto& [name, value] : section.facts) {
    text += "- " + markdown_text(name) + ": " + markdown_text(value.text) + "\n";
  }
  if (!section.facts.empty()) text += "\n";
  for (const PageTable& table : section.tables) text += table_text(table);
  return text;
}

}  // namespace sotto
