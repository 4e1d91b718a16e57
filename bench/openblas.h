// The Fortran interface of OpenBLAS, which has no header here.
#pragma once

#ifdef HAVE_OPENBLAS
extern "C" void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
                       const double*, const int*, const double*, const int*, const double*, double*,
                       const int*);
#endif
