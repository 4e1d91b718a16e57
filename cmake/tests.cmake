# Unit tests: each folder of sotto/ becomes one executable from its *_test.cc files, so a new test
# file needs no registration. Files named *_slow_test.cc run under `make test-slow` only.
include(GoogleTest)
find_package(GTest REQUIRED)
find_path(RAPIDCHECK_INCLUDE rapidcheck.h REQUIRED)
find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)

function(sotto_test_executable name label)
  if(NOT ARGN)
    return()
  endif()
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE sotto sotto_flags GTest::gtest GTest::gtest_main
                                        ${RAPIDCHECK_LIBRARY} OpenMP::OpenMP_CXX)
  target_include_directories(${name} SYSTEM PRIVATE ${RAPIDCHECK_INCLUDE})
  gtest_discover_tests(${name} PROPERTIES LABELS ${label} TIMEOUT 1200 DISCOVERY_TIMEOUT 60)
endfunction()

file(GLOB folders LIST_DIRECTORIES true CONFIGURE_DEPENDS sotto/*)
foreach(folder ${folders})
  get_filename_component(name ${folder} NAME)
  file(GLOB_RECURSE slow CONFIGURE_DEPENDS ${folder}/*_slow_test.cc)
  file(GLOB_RECURSE fast CONFIGURE_DEPENDS ${folder}/*_test.cc)
  list(FILTER fast EXCLUDE REGEX "_slow_test\\.cc$")
  sotto_test_executable(${name}_test unit ${fast})
  sotto_test_executable(${name}_slow_test slow ${slow})
endforeach()
