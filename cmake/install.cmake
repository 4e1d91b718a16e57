# The installed tree: public headers, libraries, program, a CMake package, pkg-config files and the
# manual; `make deb` packs it for Debian.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(NOT TARGET sotto_shared)
  return()  # a build for tests
endif()

set_target_properties(sotto_report PROPERTIES EXPORT_NAME report)
set_target_properties(sotto_report_shared PROPERTIES EXPORT_NAME report_shared)
install(TARGETS sotto sotto_report sotto_shared sotto_report_shared EXPORT sottoTargets)
install(TARGETS sotto_cli)
# Targets that must be built before an installation; the tests need not be.
add_custom_target(installable DEPENDS sotto sotto_report sotto_shared sotto_report_shared sotto_cli)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# The public headers of a folder are installed as one; everything else is internal. tests/package
# checks the list.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(version_header ${PROJECT_BINARY_DIR}/generated/sotto/base/version.h)
set(SOTTO_INSTALLED_HEADERS ${PROJECT_BINARY_DIR}/include)
file(STRINGS cmake/public_headers.txt public_headers)
list(REMOVE_ITEM public_headers sotto/base/version.h)
set(made_headers ${SOTTO_INSTALLED_HEADERS}/sotto/sotto.h)
add_custom_command(
  OUTPUT ${made_headers}
  COMMAND ${Python3_EXECUTABLE} scripts/public_headers.py ${version_header}
          ${SOTTO_INSTALLED_HEADERS}
  DEPENDS scripts/public_headers.py cmake/public_headers.txt ${public_headers} ${version_header}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  VERBATIM)
add_custom_target(public_headers ALL DEPENDS ${made_headers})
add_dependencies(installable public_headers)
install(DIRECTORY ${SOTTO_INSTALLED_HEADERS}/sotto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
install(EXPORT sottoTargets NAMESPACE sotto:: DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/sottoConfig.cmake ${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
        DESTINATION ${package_dir})

file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name sotto sotto_report)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# The manual, as a man page and as in docs/.
set(man_page ${PROJECT_BINARY_DIR}/sotto.1)
add_custom_command(
  OUTPUT ${man_page}
  COMMAND ${Python3_EXECUTABLE} scripts/man_page.py ${PROJECT_VERSION} < docs/cli.md > ${man_page}
  DEPENDS scripts/man_page.py docs/cli.md
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  VERBATIM)
add_custom_target(man_page ALL DEPENDS ${man_page})
add_dependencies(installable man_page)
install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# Completions for shells, made by the program from its option tables.
set(bash_completion share/bash-completion/completions/sotto)
set(zsh_completion share/zsh/site-functions/_sotto)
set(fish_completion share/fish/vendor_completions.d/sotto.fish)
foreach(shell bash zsh fish)
  set(made ${PROJECT_BINARY_DIR}/${${shell}_completion})
  get_filename_component(folder ${made} DIRECTORY)
  get_filename_component(destination ${${shell}_completion} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${made}
    COMMAND $<TARGET_FILE:sotto_cli> --completion ${shell} > ${made}
    DEPENDS sotto_cli
    VERBATIM)
  list(APPEND completions ${made})
  install(FILES ${made} DESTINATION ${destination})
endforeach()
add_custom_target(completions ALL DEPENDS ${completions})
add_dependencies(installable completions)
file(GLOB documents CONFIGURE_DEPENDS docs/*.md)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sotto)
set(CPACK_PACKAGE_VENDOR "the maintainers of sotto")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "Command, libraries, headers and manual.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the maintainers of sotto <maintainers@sotto.invalid>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
# Needed only to compile against the library.
string(
  CONCAT CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libeigen3-dev, libfmt-dev, nlohmann-json3-dev, libsodium-dev, zlib1g-dev, "
    "libsqlite3-dev")
include(CPack)
