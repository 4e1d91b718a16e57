# Unit tests: each folder of sotto/ becomes one executable from its *_test.cc files, so a new test
# file needs no registration. Files named *_slow_test.cc run under `make test-slow` only.
include(GoogleTest)
find_package(GTest REQUIRED)
find_path(RAPIDCHECK_INCLUDE rapidcheck.h REQUIRED)
find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)

add_custom_target(slow_tests)
function(sotto_test_executable name label library)
  if(NOT ARGN)
    return()
  endif()
  if(label STREQUAL "slow")
    add_executable(${name} EXCLUDE_FROM_ALL ${ARGN})
    add_dependencies(slow_tests ${name})
  else()
    add_executable(${name} ${ARGN})
  endif()
  if(NOT name MATCHES "_slow_test$")
    sotto_unity(${name} 30)
  endif()
  target_link_libraries(${name} PRIVATE ${library} sotto_flags GTest::gtest GTest::gtest_main
                                        ${RAPIDCHECK_LIBRARY} OpenMP::OpenMP_CXX)
  target_include_directories(${name} SYSTEM PRIVATE ${RAPIDCHECK_INCLUDE})
  set_target_properties(${name} PROPERTIES SOTTO_IS_TEST ON)
  # Also what the tests make of the library's templates and inline functions is checked.
  target_compile_definitions(${name} PRIVATE _GLIBCXX_ASSERTIONS)
  # Fast compilation matters more for tests than speed; the tested code has its own flags.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-Og>)
  if(SOTTO_PCH)
    # The first executable compiles the headers, the others use them.
    get_property(first GLOBAL PROPERTY sotto_pch_owner)
    if(first)
      target_precompile_headers(${name} REUSE_FROM ${first})
    else()
      target_precompile_headers(${name} PRIVATE <gtest/gtest.h> <Eigen/Core> <fmt/format.h>
                                <nlohmann/json.hpp> <functional> <map> <string> <vector>)
      set_property(GLOBAL PROPERTY sotto_pch_owner ${name})
    endif()
  endif()
  gtest_discover_tests(${name} PROPERTIES LABELS ${label} TIMEOUT 1200 DISCOVERY_TIMEOUT 60)
endfunction()

# The fast lane runs these under the sanitizers alone, compiled for this machine's instructions as
# the release is. The slow lane runs them in a release build, too, and sanitized without those
# instructions.
set(sanitized base io linalg privacy tensor)

# Last, so that none of these owns the precompiled headers of the others.
set(tested ${folders})
foreach(name ${sanitized})
  if(sotto/${name} IN_LIST tested)
    list(REMOVE_ITEM tested sotto/${name})
    list(APPEND tested sotto/${name})
  endif()
endforeach()
foreach(folder ${tested})
  get_filename_component(name ${folder} NAME)
  file(GLOB_RECURSE slow CONFIGURE_DEPENDS ${folder}/*_slow_test.cc)
  file(GLOB_RECURSE fast CONFIGURE_DEPENDS ${folder}/*_test.cc)
  list(FILTER fast EXCLUDE REGEX "_slow_test\\.cc$")
  set(library sotto)
  if(TARGET sotto_${name})
    set(library sotto_${name})
  endif()
  set(label unit)
  if(name IN_LIST sanitized AND NOT SOTTO_SANITIZE)
    set(label slow)
  endif()
  sotto_test_executable(${name}_test ${label} ${library} ${fast})
  sotto_test_executable(${name}_slow_test slow ${library} ${slow})
endforeach()

if(SOTTO_FOLDERS)
  return()
endif()

# Tests that need folders between which there is no arrow.
file(GLOB integration_slow CONFIGURE_DEPENDS tests/integration/*_slow_test.cc)
file(GLOB integration_fast CONFIGURE_DEPENDS tests/integration/*_test.cc)
list(FILTER integration_fast EXCLUDE REGEX "_slow_test\\.cc$")
sotto_test_executable(integration_test unit sotto_study ${integration_fast})
sotto_test_executable(integration_slow_test slow sotto_study ${integration_slow})

# Checks of the sources themselves.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(sotto_script_test name label)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 600)
endfunction()

sotto_script_test(formatting check scripts/format.sh --check)
sotto_script_test(include_arrows check ${Python3_EXECUTABLE} scripts/check_includes.py)
sotto_script_test(include_arrows_catch_a_violation check ${Python3_EXECUTABLE}
                  tests/test_check_includes.py)

# Ways around the types that guard data and noise: each must fail to compile, and for its reason.
file(GLOB compile_fail CONFIGURE_DEPENDS tests/compile_fail/*.cc)
sotto_script_test(
  does_not_compile check ${Python3_EXECUTABLE} tests/compile_fail/check.py ${compile_fail} --
  ${CMAKE_CXX_COMPILER} -std=c++20 -I ${PROJECT_SOURCE_DIR} -isystem
  $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)
sotto_script_test(does_not_compile.check_itself check ${Python3_EXECUTABLE}
                  tests/compile_fail/test_check.py ${CMAKE_CXX_COMPILER})

# The program with a tape recorder for its releases, and the same with leaks planted in it: for
# tests/e2e/test_record_play.py alone, never installed.
add_library(tape OBJECT tests/tape/tape.cc)
add_library(leaks OBJECT tests/tape/leaks.cc)
add_executable(sotto_tape $<TARGET_OBJECTS:sotto_commands> $<TARGET_OBJECTS:one_rank>
                          $<TARGET_OBJECTS:tape>)
add_executable(sotto_leaky $<TARGET_OBJECTS:sotto_commands> $<TARGET_OBJECTS:one_rank>
                           $<TARGET_OBJECTS:tape> $<TARGET_OBJECTS:leaks>)
foreach(name tape leaks sotto_tape sotto_leaky)
  target_link_libraries(${name} PRIVATE sotto_study sotto_flags OpenMP::OpenMP_CXX)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-Og>)
endforeach()
file(STRINGS tests/tape/leaks.cc wrapped REGEX "^#define WRAPPED_")
list(TRANSFORM wrapped REPLACE "^[^\"]*\"([^\"]*)\"$" "LINKER:--wrap=\\1")
target_link_options(sotto_leaky PRIVATE ${wrapped})

# The program with faults planted in it, and an audit of single mechanisms with faults: for
# tests/e2e/test_audit.py alone, never installed.
add_library(faults OBJECT tests/audit/faults.cc)
add_executable(sotto_faulty $<TARGET_OBJECTS:sotto_commands> $<TARGET_OBJECTS:one_rank>
                            $<TARGET_OBJECTS:faults>)
add_executable(audit_mechanisms tests/audit/mechanisms.cc)
foreach(name faults sotto_faulty audit_mechanisms)
  target_link_libraries(${name} PRIVATE sotto_study sotto_flags OpenMP::OpenMP_CXX)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-Og>)
endforeach()
file(STRINGS tests/audit/faults.cc wrapped REGEX "^#define WRAPPED_")
list(TRANSFORM wrapped REPLACE "^[^\"]*\"([^\"]*)\"$" "LINKER:--wrap=\\1")
target_link_options(sotto_faulty PRIVATE ${wrapped})

include(cmake/fuzz.cmake)

# The program as a user sees it, and the installed tree as another project sees it.
file(GLOB end_to_end CONFIGURE_DEPENDS tests/e2e/test_*.py)
if(NOT MPI_CXX_FOUND)
  list(FILTER end_to_end EXCLUDE REGEX "/test_ranks\\.py$")
endif()
foreach(source ${end_to_end})
  get_filename_component(name ${source} NAME_WE)
  set(programs $<TARGET_FILE:sotto_cli>)
  if(name STREQUAL "test_record_play")
    set(programs $<TARGET_FILE:sotto_tape> $<TARGET_FILE:sotto_leaky>)
  endif()
  if(name STREQUAL "test_audit")
    list(APPEND programs $<TARGET_FILE:sotto_faulty> $<TARGET_FILE:audit_mechanisms>)
  endif()
  sotto_script_test(e2e.${name} e2e ${Python3_EXECUTABLE} ${source} ${programs})
endforeach()
# With every kind of neighbour at every place, larger inputs, more races, kills and ranks.
set(longer test_neighbours test_leaks test_ledger test_faults test_kills test_limits test_hostile)
if(MPI_CXX_FOUND)
  list(APPEND longer test_ranks)
endif()
foreach(name ${longer})
  sotto_script_test(slow.${name} slow ${CMAKE_COMMAND} -E env SOTTO_SLOW=1 ${Python3_EXECUTABLE}
                    tests/e2e/${name}.py $<TARGET_FILE:sotto_cli>)
endforeach()
set_tests_properties(slow.test_faults slow.test_kills PROPERTIES TIMEOUT 7200)
sotto_script_test(slow.test_audit slow ${CMAKE_COMMAND} -E env SOTTO_SLOW=1 ${Python3_EXECUTABLE}
                  tests/e2e/test_audit.py $<TARGET_FILE:sotto_cli> $<TARGET_FILE:sotto_faulty>
                  $<TARGET_FILE:audit_mechanisms>)
set_tests_properties(slow.test_audit PROPERTIES TIMEOUT 3600)
sotto_script_test(slow.test_record_play slow ${CMAKE_COMMAND} -E env SOTTO_SLOW=1
                  ${Python3_EXECUTABLE} tests/e2e/test_record_play.py $<TARGET_FILE:sotto_tape>
                  $<TARGET_FILE:sotto_leaky>)
if(TARGET sotto_shared)
  sotto_script_test(installed_package package ${Python3_EXECUTABLE} tests/package/test_package.py
                    ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER})
  sotto_script_test(hardened package ${Python3_EXECUTABLE} tests/package/test_hardened.py
                    ${CMAKE_CXX_COMPILER} $<TARGET_FILE:sotto_cli> $<TARGET_FILE:sotto_shared>
                    $<TARGET_FILE:sotto_report_shared>)
  set(headers_test ${Python3_EXECUTABLE} tests/package/test_headers.py ${PROJECT_BINARY_DIR}
                   ${CMAKE_CXX_COMPILER} -isystem
                   $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)
  sotto_script_test(public_headers check ${headers_test})
  sotto_script_test(slow.public_headers slow ${CMAKE_COMMAND} -E env SOTTO_SLOW=1 ${headers_test})
  include(cmake/examples.cmake)
endif()

# The report page in Debian's Chromium; make test-slow installs it.
sotto_script_test(browser.report browser ${Python3_EXECUTABLE} tests/browser/test_report.py
                  $<TARGET_FILE:sotto_cli>)
