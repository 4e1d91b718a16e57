// The experiments, each in the file of its name.
#pragma once

#include <vector>

#include "sotto/study/study.h"

namespace sotto {

const std::vector<Study>& all_studies();
// Refuses an unknown name, and lists the names that exist.
const Study& find_study(const std::string& name);

Study wang_fig1();
Study wang_whitening();
Study wang_input_vs_iterate();
Study imtiaz_fig1();
Study wei_fig2();
Study wei_fig3();
Study wei_fig4();
Study esmaeili_configurations();

}  // namespace sotto
