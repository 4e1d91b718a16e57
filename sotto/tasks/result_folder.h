// The folder of a former result, read as a model: what its result.json says, and its arrays.
//
// A folder says all that is needed: no file of the training run is looked for. Nothing in it is
// trusted. What is missing, damaged, of another kind or of a newer format is an Error that names
// the file.
#pragma once

#include <string>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/linalg/matrix.h"
#include "sotto/tensor/dense_tensor.h"
#include "sotto/tensor/label_table.h"

namespace sotto {

class ResultFolder {
 public:
  explicit ResultFolder(std::string path);

  const std::string& path() const { return path_; }
  const std::string& command() const { return command_; }  // "topics"
  const Json& json() const { return json_; }
  // The path of a file in the folder, there or not.
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // Whether result.json names the file as one of its own.
  bool lists(const std::string& name) const;

  // A value of result.json, by keys joined by '/'; null where there is none.
  const Json& find(const std::string& keys) const;
  double number(const std::string& keys) const;   // finite
  Vector numbers(const std::string& keys) const;  // a list of finite numbers
  std::string text(const std::string& keys) const;
  // Of an option, false where it is not listed.
  bool flag(const std::string& option) const;
  // Whether an option that takes a text had one.
  bool has_text(const std::string& option) const;
  // A value of an enum, by its name.
  template <NamedEnum E>
  E named(const std::string& keys) const {
    const auto value = value_named<E>(text(keys));
    require(value.has_value(), "has no value of " + keys + " that is known");
    return *value;
  }

  // Arrays of finite numbers.
  DenseTensor tensor(const std::string& name) const;
  Vector vector(const std::string& name) const;
  Matrix matrix(const std::string& name) const;
  // Names of rows, one a line, each as it stands there.
  LabelTable labels(const std::string& name) const;
  // weights.npy, which must be what result.json says, and so belong to it.
  Vector weights() const;

  // Refuses result.json, or the folder as a whole.
  void require(bool condition, const std::string& otherwise) const;
  void require_together(bool condition) const;

 private:
  std::string path_, command_;
  Json json_;
};

}  // namespace sotto
