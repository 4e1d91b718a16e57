// Every cost as a tilted loss distribution on a grid: the worst-case pair of outputs of a
// mechanism, discretised so that the result dominates it.
#pragma once

#include "sotto/privacy/release_record.h"
#include "sotto/privacy/renyi.h"
#include "sotto/privacy/two_scale_loss.h"

namespace sotto {

// How a cost is looked at: tilted by theta, for removing or adding a record, with up to `cut` of
// the mass under P left out at the top of a loss that has no upper bound (the caller charges it to
// delta). Where tilted weights fall below e^{-depth} of their peak they are left out and counted as
// lost.
struct View {
  double theta = 0;
  Direction direction = Direction::remove;
  double cut = 0;
  double depth = 60;
};

// The loss of one release under P, tilted by theta.
TwoScaleLoss loss_distribution(const Cost& cost, const View& view);

// log E e^{theta L} of what is left after the cut.
double loss_log_moment(const Cost& cost, const View& view);

// A bound of the relative error of each weight of loss_distribution, before normalising.
double loss_relative_error(const Cost& cost, const View& view);

}  // namespace sotto
