# Targets that read foreign bytes (tests/fuzz/targets.h). Everywhere: a program that replays seeds,
# inputs that once failed, and mutations of both. With Clang and the preset `fuzz`: libFuzzer over the
# same targets (make fuzz).
set(targets tests/fuzz/targets.cc tests/fuzz/reader_targets.cc tests/fuzz/state_targets.cc)
add_executable(fuzz_replay ${targets} tests/fuzz/replay.cc)
target_link_libraries(fuzz_replay PRIVATE sotto sotto_flags OpenMP::OpenMP_CXX)
target_compile_options(fuzz_replay PRIVATE $<$<CONFIG:Release>:-Og>)
sotto_script_test(fuzz.replay unit $<TARGET_FILE:fuzz_replay> --mutations 30)
sotto_script_test(slow.fuzz_replay slow $<TARGET_FILE:fuzz_replay> --mutations 3000)

if(SOTTO_FUZZ)
  add_executable(fuzz ${targets} tests/fuzz/fuzz.cc)
  target_link_libraries(fuzz PRIVATE sotto sotto_flags OpenMP::OpenMP_CXX)
  target_link_options(fuzz PRIVATE -fsanitize=fuzzer)
endif()
