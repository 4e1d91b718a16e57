#include "sotto/study/studies.h"

#include "sotto/base/error.h"

namespace sotto {

const std::vector<Study>& all_studies() {
  static const std::vector<Study> studies = {
      wang_fig1(), wang_whitening(), wang_input_vs_iterate(),   imtiaz_fig1(), wei_fig2(),
      wei_fig3(),  wei_fig4(),       esmaeili_configurations(),
  };
  return studies;
}

const Study& find_study(const std::string& name) {
  std::string names;
  for (const Study& study : all_studies()) {
    if (study.name == name) return study;
    names += (names.empty() ? "" : ", ") + study.name;
  }
  throw Error(fmt::format("there is no experiment '{}'; there are {}", name, names), "");
}

}  // namespace sotto
