# find_package(sotto) gives the targets sotto::sotto and sotto::report, static libraries, and
# sotto::sotto_shared and sotto::report_shared.
include(CMakeFindDependencyMacro)
find_dependency(Eigen3)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(ZLIB)
find_dependency(SQLite3)
find_dependency(OpenMP COMPONENTS CXX)
find_dependency(Threads)
find_dependency(PkgConfig)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
include(${CMAKE_CURRENT_LIST_DIR}/sottoTargets.cmake)
