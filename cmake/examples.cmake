# Each program of examples/ is compiled with the headers that are installed, and run, and must print
# what its last comment says. Only examples about reports link sotto_report.
file(GLOB examples CONFIGURE_DEPENDS examples/*.cc)
foreach(source ${examples})
  get_filename_component(name ${source} NAME_WE)
  file(STRINGS ${source} reports REGEX "#include \"sotto/report.h")
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE $<IF:$<BOOL:${reports}>,sotto_report,sotto>
                                                sotto_flags OpenMP::OpenMP_CXX)
  target_include_directories(example_${name} BEFORE PRIVATE ${SOTTO_INSTALLED_HEADERS})
  add_dependencies(example_${name} public_headers)
  # As the unit tests, whose precompiled headers they share; tests/package does without.
  target_compile_options(example_${name} PRIVATE $<$<CONFIG:Release>:-Og>)
  if(SOTTO_PCH)
    get_property(first GLOBAL PROPERTY sotto_pch_owner)
    target_precompile_headers(example_${name} REUSE_FROM ${first})
    # As in their owner, or they could not be used.
    target_compile_definitions(example_${name} PRIVATE GTEST_HAS_PTHREAD=1 _GLIBCXX_ASSERTIONS)
  endif()
  sotto_script_test(example.${name} check ${Python3_EXECUTABLE} tests/examples/run_example.py
                    ${source} $<TARGET_FILE:example_${name}>)
endforeach()
sotto_script_test(api_document_is_current check ${Python3_EXECUTABLE} scripts/api_docs.py --check)
