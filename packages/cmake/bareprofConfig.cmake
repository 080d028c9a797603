# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# find_package(bareprof): the installed archive for this project's compiler.
# From the toolchain file: CMAKE_C_COMPILER_TARGET, and clang's release, or
# BAREPROF_TARGET and BAREPROF_LLVM where the compiler is another one.
get_filename_component(bareprof_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.."
                       ABSOLUTE)
set(bareprof_SCRIPTS "${bareprof_prefix}/share/bareprof")
find_program(bareprof_TOOL bareprof HINTS "${bareprof_prefix}/bin")

if(NOT BAREPROF_TARGET)
  set(BAREPROF_TARGET "${CMAKE_C_COMPILER_TARGET}")
endif()
if(NOT BAREPROF_LLVM AND CMAKE_C_COMPILER_ID MATCHES "Clang")
  string(REGEX MATCH "^[0-9]+" BAREPROF_LLVM "${CMAKE_C_COMPILER_VERSION}")
endif()
set(bareprof_archive "${bareprof_prefix}/lib/bareprof/llvm-${BAREPROF_LLVM}")
string(APPEND bareprof_archive "/${BAREPROF_TARGET}/libbareprof.a")
if(NOT EXISTS "${bareprof_archive}")
  set(bareprof_FOUND FALSE)
  string(CONCAT bareprof_NOT_FOUND_MESSAGE
         "${bareprof_archive} is not there; run make install with "
         "LLVM=${BAREPROF_LLVM} INSTALL_TARGETS=${BAREPROF_TARGET}, "
         "or set BAREPROF_LLVM and BAREPROF_TARGET")
  return()
endif()

if(NOT TARGET bareprof::bareprof)
  add_library(bareprof::bareprof STATIC IMPORTED)
  set_target_properties(bareprof::bareprof PROPERTIES
    IMPORTED_LOCATION "${bareprof_archive}"
    INTERFACE_INCLUDE_DIRECTORIES "${bareprof_prefix}/include/bareprof")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/bareprofFunctions.cmake")
