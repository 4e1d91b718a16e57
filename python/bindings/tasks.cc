// The tasks as Python calls them: data, options by name, whether the data is sensitive, progress.
// Each returns its arrays by name, and the outcome, which describes and saves itself.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <utility>

#include "python/bindings/bind.h"
#include "python/bindings/call.h"
#include "python/bindings/data.h"
#include "python/bindings/outcome.h"
#include "python/bindings/points.h"
#include "sotto/io/read_corpus.h"
#include "sotto/models/people_factors.h"
#include "sotto/models/topic_evaluation.h"
#include "sotto/privacy/run_cost.h"
#include "sotto/release/privacy_options.h"
#include "sotto/sotto.h"
#include "sotto/tasks/people.h"

namespace sotto::python {
namespace {

// A ledger knows files by their bytes; of data in memory it keeps none.
constexpr const char* kInMemory = "-";

constexpr const char* kDeclared = "the caller asked for no privacy: taken as public";

template <class T>
Input<T> input_of(T data, bool sensitive) {
  return sensitive ? sensitive_input(std::move(data)) : public_input(std::move(data), kDeclared);
}

template <class Task>
std::unique_ptr<Task> task_of(const OptionTexts& options) {
  auto task = std::make_unique<Task>();
  set_options(task->table(), options);
  task->check();
  return task;
}

// Takes the fit's place in its ledger; a fit without one is refused, and has read nothing.
void reserve(TargetOptions& privacy, const char* command, const char* unit) {
  try {
    privacy.reserve(command, unit, kInMemory);
  } catch (const Error& error) {
    if (error.fault() == Fault::system) throw;
    throw NotReserved(error);
  }
}

template <class Task, class Result>
nb::object outcome_of(OutcomeHead head, std::unique_ptr<Task> task, Result result) {
  std::unique_ptr<Outcome> outcome = std::make_unique<TaskOutcome<Task, Result>>(
      std::move(head), std::move(task), std::move(result));
  return nb::cast(std::move(outcome));
}

// The certificate in words, and what the run adds to a count of runs.
void add_certificate(nb::dict& found, const Certificate& certificate, const char* unit) {
  found["certificate"] = certificate.to_text();
  const std::optional<RunCost> cost = cost_of_releases(certificate, unit);
  if (!cost) return;
  found["run_cost"] = nb::make_tuple(cost->pure, cost->mu_squared, cost->rounding, cost->delta);
}

// ---- topics ----

template <class Data>
nb::tuple topics_found(Data& documents, const OptionTexts& options, bool sensitive,
                       nb::object progress) {
  auto task = task_of<TopicsTask>(options);
  reserve(task->privacy, "topics", "document");
  TopicsResult result = CallProgress(std::move(progress)).run([&](const ProgressCallback& report) {
    return run(input_of(std::move(documents), sensitive), *task, report);
  });
  if (std::is_same_v<Data, Documents> && result.open) {
    result.open->documents.reset();  // the engine forgets them when the fit ends
  }
  task->privacy.commit();
  nb::dict found;
  found["topics"] = to_numpy_transposed(result.model.topics);
  found["alpha"] = to_numpy(result.model.alpha);
  found["vocabulary"] = result.vocabulary;
  found["steps"] = result.steps;
  if (result.released) add_certificate(found, result.released->certificate, "document");
  return nb::make_tuple(
      found, outcome_of({"topics", "Topics of a corpus"}, std::move(task), std::move(result)));
}

nb::tuple run_topics(Corpus& documents, const OptionTexts& options, bool sensitive,
                     nb::object progress) {
  return topics_found(documents, options, sensitive, std::move(progress));
}

nb::tuple run_remote_topics(RemoteDocuments& remote, const OptionTexts& options, bool sensitive,
                            nb::object progress) {
  return topics_found(remote.documents, options, sensitive, std::move(progress));
}

TopicsResult topics_of(const Rows& topics, const Flat<double>& alpha, bool single) {
  TopicsResult known;
  known.model = {Matrix(to_rows(topics).transpose()), to_eigen(alpha)};
  known.kind = single ? DocumentModel::single : DocumentModel::lda;
  return known;
}

nb::object infer_topics(const Rows& topics, const Flat<double>& alpha, bool single,
                        const Corpus& documents) {
  const TopicsResult known = topics_of(topics, alpha, single);
  RowMatrix proportions;
  {
    const nb::gil_scoped_release free;
    proportions = infer(known, documents);
  }
  return to_numpy(std::move(proportions));
}

double perplexity_of_topics(const Rows& topics, const Flat<double>& alpha, bool single,
                            const Corpus& documents) {
  const TopicsResult known = topics_of(topics, alpha, single);
  const nb::gil_scoped_release free;
  return completion_perplexity(documents, known.model, Vector::Ones(known.model.topics.rows()),
                               known.kind)
      .model;
}

// ---- mixture ----

nb::tuple run_mixture(PointInput& points, const OptionTexts& options, bool sensitive,
                      nb::object progress) {
  auto task = task_of<MixtureTask>(options);
  reserve(task->privacy, "mixture", "record");
  MixtureResult result = CallProgress(std::move(progress)).run([&](const ProgressCallback& report) {
    return run(input_of(std::move(points.points), sensitive), *task, report);
  });
  task->privacy.commit();
  nb::dict found;
  found["means"] = to_numpy_transposed(result.mixture.means);
  found["weights"] = to_numpy(result.mixture.weights);
  if (result.mixture.kind == CovarianceKind::common) {
    found["variance"] = result.mixture.variance;
  } else {
    found["covariances"] = to_numpy_transposed(result.mixture.covariances);
  }
  found["converged"] = result.converged();
  if (result.rank) found["rank"] = *result.rank;
  found["steps"] = result.steps;
  if (result.released) add_certificate(found, result.released->certificate, "record");
  if (result.open) {
    found["log_likelihood"] = result.open->log_likelihood;
    found["bic"] = result.open->bic;
  }
  // The points belong to the caller: proportions are for predict_proba.
  if (result.open) result.open->points.reset();
  return nb::make_tuple(found, outcome_of({"mixture", "Gaussians behind points"}, std::move(task),
                                          std::move(result)));
}

// ---- stream ----

nb::tuple run_stream(PointInput& points, const OptionTexts& options, bool sensitive,
                     nb::object progress) {
  auto task = task_of<StreamTask>(options);
  reserve(task->privacy, "stream", "record");
  StreamResult result = CallProgress(std::move(progress)).run([&](const ProgressCallback& report) {
    return run(input_of(std::move(points.points), sensitive), *task, report);
  });
  task->privacy.commit();
  nb::dict found;
  found["vectors"] = to_numpy_transposed(result.found.vectors());
  found["weights"] = to_numpy(result.found.weights);
  found["status"] = status_text(result.found.status);
  found["points_read"] = result.points_read;
  found["answers"] = result.answers;
  found["batch"] = result.batch;
  if (result.certificate) add_certificate(found, *result.certificate, "record");
  return nb::make_tuple(
      found, outcome_of({"stream", "Components of a stream"}, std::move(task), std::move(result)));
}

// ---- decompose ----

void add_factors(nb::dict& found, const std::vector<Matrix>& factors) {
  nb::list list;
  for (const Matrix& factor : factors) list.append(to_numpy(factor));
  found["factors"] = list;
}

nb::tuple run_decompose(AnyTensor& tensor, const OptionTexts& options, bool sensitive,
                        const std::vector<std::vector<std::string>>& labels, nb::object progress) {
  auto task = task_of<DecomposeTask>(options);
  reserve(task->privacy, "decompose", "entry");
  DecomposeResult result =
      CallProgress(std::move(progress)).run([&](const ProgressCallback& report) {
        return run(input_of(std::move(tensor), sensitive), *task, report);
      });
  if (!labels.empty()) result.labels = labels;
  task->privacy.commit();
  nb::dict found;
  found["weights"] = to_numpy(result.found.weights);
  add_factors(found, result.found.factors);
  found["method"] = std::string(name_of(result.method));
  found["status"] = status_text(result.found.status);
  found["iterations"] = result.found.iterations;
  if (result.measures) found["fit"] = result.measures->fit();
  if (result.cp) {
    found["core_consistency"] = result.cp->core_consistency;
    found["start_errors"] = result.cp->start_errors;
    found["error_history"] = result.cp->error_history;
  }
  if (result.tucker) found["core"] = to_numpy(result.tucker->core);
  if (!result.choice.empty()) found["choice"] = result.choice;
  if (!result.advice.empty()) found["advice"] = result.advice;
  if (result.certificate) add_certificate(found, *result.certificate, "entry");
  return nb::make_tuple(found, outcome_of({"decompose", "Components of a tensor"}, std::move(task),
                                          std::move(result)));
}

// ---- decompose, one person is one slice ----

// The command line has these options among those of `decompose`.
struct PersonTask : PeopleTask {
  OptionTable table() {
    return OptionTable()
        .integer("components", 'k', people.components, {1, 1000000}, "number of factors to find")
        .integer("seed", 0, people.seed, {0, std::numeric_limits<std::int64_t>::max()},
                 "of the starts")
        .flag("non-negative", people.non_negative, "factors without negative entries")
        .append(PeopleTask::table())
        .append(privacy.table());
  }
};

nb::tuple run_people_task(AnyTensor& tensor, const OptionTexts& options, bool sensitive,
                          const std::vector<std::vector<std::string>>& labels,
                          nb::object progress) {
  auto task = task_of<PersonTask>(options);
  reserve(task->privacy, "decompose", "person");
  PeopleResult result = CallProgress(std::move(progress)).run([&](const ProgressCallback& report) {
    return run_people(input_of(std::move(tensor), sensitive), *task, report);
  });
  result.labels = labels;
  task->privacy.commit();
  nb::dict found;
  found["weights"] = to_numpy(result.weights);
  add_factors(found, result.factors);
  found["loadings"] = to_numpy(result.loadings);
  if (result.certificate) add_certificate(found, *result.certificate, "person");
  return nb::make_tuple(found, outcome_of({"decompose", "Factors of a tensor of people"},
                                          std::move(task), std::move(result)));
}

nb::object loadings_of_people(const std::vector<Rows>& factors, const Flat<double>& weights,
                              const AnyTensor& people, bool counts, double alpha0) {
  PeopleModel model;
  model.weights = to_eigen(weights);
  for (const Rows& factor : factors) model.factors.push_back(to_matrix(factor));
  PeopleOptions options;
  options.values = counts ? PeopleValues::counts : PeopleValues::real;
  options.alpha0 = alpha0;
  RowMatrix loadings;
  {
    const nb::gil_scoped_release free;
    const auto* dense = std::get_if<DenseTensor>(&people);
    loadings = dense != nullptr ? person_loadings(SparseTensor::from_dense(*dense), model, options)
                                : person_loadings(std::get<SparseTensor>(people), model, options);
  }
  return to_numpy(std::move(loadings));
}

// ---- complete ----

nb::tuple run_complete(Ratings& ratings, const OptionTexts& options, bool sensitive,
                       nb::object progress) {
  auto task = task_of<CompleteTask>(options);
  reserve(task->privacy, "complete", "rating");
  CompletionResult result =
      CallProgress(std::move(progress)).run([&](const ProgressCallback& report) {
        return run(input_of(std::move(ratings), sensitive), *task, report);
      });
  task->privacy.commit();
  nb::dict found;
  nb::list factors, biases, labels;
  for (Index m = 0; m < result.model.order(); ++m) {
    factors.append(to_numpy(result.model.factor(m)));
    biases.append(to_numpy(result.model.biases.rows[static_cast<std::size_t>(m)]));
    const RatingMode& mode = result.modes[static_cast<std::size_t>(m)];
    std::vector<std::string> names;
    for (Index row = 0; row < result.model.factors[static_cast<std::size_t>(m)].rows(); ++row) {
      names.push_back(mode.label(row));
    }
    labels.append(names);
  }
  found["factors"] = factors;
  found["biases"] = biases;
  found["labels"] = labels;
  found["mean"] = result.model.biases.mean;
  found["unknown_biases"] = result.model.biases.unknown;
  found["unknown_value"] = result.model.unknown_value;
  nb::list unknown_factors;
  for (const Vector& row : result.model.unknown_factors) {
    unknown_factors.append(to_numpy(Vector(row.head(result.model.rank))));
  }
  found["unknown_factors"] = unknown_factors;
  if (result.model.kind == LowRank::tucker) found["core"] = to_numpy(result.model.core_tensor());
  found["range"] = result.model.range;
  found["method"] = result.method;
  found["status"] = std::string(name_of(result.status));
  if (result.certificate) add_certificate(found, *result.certificate, "rating");
  return nb::make_tuple(
      found, outcome_of({"complete", "Completion of ratings"}, std::move(task), std::move(result)));
}

nb::tuple run_complete_users(Ratings& ratings, const std::vector<std::string>& items,
                             const OptionTexts& options, nb::object progress) {
  auto task = task_of<CompleteTask>(options);
  reserve(task->privacy, "complete", "user");
  UserFiles files;
  for (const std::string& item : items) files.rows.items.add(item);
  UserCompletionResult result = CallProgress(std::move(progress)).run([&](const ProgressCallback&) {
    return run_users(sensitive_input(std::move(ratings)), std::move(files), *task);
  });
  task->privacy.commit();
  nb::dict found;
  found["items"] = items;
  found["factors"] = to_numpy(result.model.factors);
  found["effects"] = to_numpy(result.model.effects);
  found["mean"] = result.model.mean;
  found["level_variance"] = result.model.level_variance;
  found["error_variance"] = result.model.error_variance;
  add_certificate(found, result.certificate, "user");
  found["method"] = result.method;
  return nb::make_tuple(
      found, outcome_of({"complete", "Completion of ratings"}, std::move(task), std::move(result)));
}

// Predictions of `wanted` for one user with these own ratings.
nb::object predict_for_user(const nb::dict& model, const Flat<std::int32_t>& items,
                            const Flat<double>& values, const Flat<std::int32_t>& wanted) {
  UserModel known;
  known.bounds = {nb::cast<double>(model["low"]), nb::cast<double>(model["high"])};
  known.mean = nb::cast<double>(model["mean"]);
  known.level_variance = nb::cast<double>(model["level_variance"]);
  known.error_variance = nb::cast<double>(model["error_variance"]);
  known.effects = to_eigen(nb::cast<Flat<double>>(model["effects"]));
  known.factors = to_matrix(nb::cast<Rows>(model["factors"]));
  std::vector<OwnRating> own;
  for (std::size_t n = 0; n < items.size(); ++n) {
    own.push_back({items.data()[n], values.data()[n], kUnknownRow});
  }
  const OwnTaste taste = solve_user(known, own);
  Vector predicted(static_cast<Index>(wanted.size()));
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    predicted[static_cast<Index>(n)] = predict(known, taste, wanted.data()[n]);
  }
  return to_numpy(std::move(predicted));
}

// ---- plans ----

template <class Task, class Shape>
std::string plan_text(const OptionTexts& options, const Shape& shape, bool json) {
  const auto task = task_of<Task>(options);
  const Plan planned = plan(*task, shape);
  return json ? to_text(Json(planned.to_json())) : planned.to_text();
}

}  // namespace

void bind_tasks(nb::module_& m) {
  // Python holds these and hands them to a run; their inside is the library's.
  const nb::class_<Corpus> corpus_class(m, "Documents");
  const nb::class_<RemoteDocuments> remote_class(m, "RemoteDocuments");
  const nb::class_<PointInput> points_class(m, "Points");
  const nb::class_<AnyTensor> tensor_class(m, "Tensor");
  const nb::class_<Ratings> ratings_class(m, "Ratings");
  m.def("documents", corpus_of_rows);
  m.def("documents_of_texts", corpus_of_texts);
  m.def("words_of_file", read_vocabulary);
  m.def("points", points_of_array);
  m.def("sparse_points", points_of_rows);
  m.def("point_batches", points_of_batches, nb::arg("begin"), nb::arg("dim"),
        nb::arg("records").none(), nb::arg("again"));
  m.def("tensor", tensor_of_array);
  m.def("sparse_tensor", tensor_of_places);
  m.def("ratings", [](const std::vector<std::string>& names,
                      const std::vector<std::vector<std::string>>& labels,
                      const std::vector<Flat<std::int32_t>>& rows, const Flat<double>& value) {
    std::vector<RatingColumn> columns;
    for (std::size_t n = 0; n < names.size(); ++n) {
      columns.push_back({names[n], labels[n], to_vector(rows[n])});
    }
    return ratings_of_columns(columns, value);
  });

  nb::class_<Outcome>(m, "Outcome")
      .def_prop_ro("json", &Outcome::json)
      .def("page", &Outcome::page)
      .def("save", &Outcome::save, nb::arg("folder"), nb::arg("sign") = "");
  const auto run_args = [&](const char* name, auto function) {
    m.def(name, function, nb::arg("data"), nb::arg("options"), nb::arg("sensitive"),
          nb::arg("progress").none() = nb::none());
  };
  run_args("run_topics", run_topics);
  run_args("run_remote_topics", run_remote_topics);
  run_args("run_mixture", run_mixture);
  run_args("run_stream", run_stream);
  run_args("run_complete", run_complete);
  const auto run_labelled = [&](const char* name, auto function) {
    m.def(name, function, nb::arg("data"), nb::arg("options"), nb::arg("sensitive"),
          nb::arg("labels"), nb::arg("progress").none() = nb::none());
  };
  run_labelled("run_decompose", run_decompose);
  run_labelled("run_people", run_people_task);
  m.def("run_complete_users", run_complete_users, nb::arg("data"), nb::arg("items"),
        nb::arg("options"), nb::arg("progress").none() = nb::none());
  m.def("infer_topics", infer_topics);
  m.def("loadings_of_people", loadings_of_people);
  m.def("perplexity_of_topics", perplexity_of_topics);
  m.def("predict_for_user", predict_for_user);

  const auto check = [&](const char* name, auto task) {
    m.def(name, [](const OptionTexts& options) { task_of<decltype(task)>(options); });
  };
  check("check_topics", TopicsTask());
  check("check_mixture", MixtureTask());
  check("check_stream", StreamTask());
  check("check_decompose", DecomposeTask());
  check("check_people", PersonTask());
  check("check_complete", CompleteTask());
  m.def("plan_topics", [](const OptionTexts& options, Index documents, Index words, bool json) {
    return plan_text<TopicsTask>(options, PublicCorpusShape{documents, words}, json);
  });
  m.def("plan_mixture", [](const OptionTexts& options, Index dim, Index records, bool json) {
    return plan_text<MixtureTask>(options, PublicPointShape{dim, records}, json);
  });
  m.def("plan_stream",
        [](const OptionTexts& options, Index dim, std::optional<Index> records, bool json) {
          return plan_text<StreamTask>(options, PublicStream{dim, records, "X", true}, json);
        });
  m.def("plan_decompose", [](const OptionTexts& options, std::vector<Index> dims, bool json) {
    return plan_text<DecomposeTask>(options, PublicDims(std::move(dims)), json);
  });
}

}  // namespace sotto::python
