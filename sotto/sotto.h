// The front of the library: five tasks, each with a plan and a run.
//
//   Plan plan(task, public shape)       what a private run will release, before the data is read
//   XResult run(input, task, progress)  sensitive input with epsilon, public input without
//   save(result, folder)                the arrays of a result
//
//   decompose   DecomposeTask   components of a tensor
//   stream      StreamTask      components of the moment of records that pass by once
//   topics      TopicsTask      topics of documents
//   mixture     MixtureTask     Gaussians behind points
//   complete    CompleteTask    missing values of ratings
//
// The folder of a result is a model: apply() uses it on new data, and spends nothing.
//
// An input is read from a file (tensor_input and its like) or is in memory (sensitive_input,
// public_input). result.json and report.html are in the library sotto_report: report.h. docs/api.md
// has examples.
#pragma once

#include "sotto/base/error.h"
#include "sotto/base/version.h"
#include "sotto/io/output_folder.h"
#include "sotto/tasks/apply.h"
#include "sotto/tasks/complete.h"
#include "sotto/tasks/complete_users.h"
#include "sotto/tasks/decompose.h"
#include "sotto/tasks/input.h"
#include "sotto/tasks/mixture.h"
#include "sotto/tasks/stream.h"
#include "sotto/tasks/topics.h"
