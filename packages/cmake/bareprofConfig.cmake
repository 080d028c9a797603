# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# find_package(bareprof) finds the installed archive for this project's core
# (its --target, -mcpu or -march) and release of clang. BAREPROF_TARGET and
# BAREPROF_LLVM overrule these two. bareprofFunctions.cmake has the functions.
include("${CMAKE_CURRENT_LIST_DIR}/bareprofTarget.cmake")
get_filename_component(bareprof_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.."
                       ABSOLUTE)
set(bareprof_SCRIPTS "${bareprof_prefix}/share/bareprof")
find_program(bareprof_TOOL bareprof HINTS "${bareprof_prefix}/bin")

set(bareprof_target "${BAREPROF_TARGET}")
if(NOT bareprof_target)
  bareprof_target(bareprof_target bareprof_mask)
endif()
if(NOT bareprof_target)
  set(bareprof_target "${CMAKE_C_COMPILER_TARGET}")
endif()
if(NOT BAREPROF_LLVM AND CMAKE_C_COMPILER_ID MATCHES "Clang")
  string(REGEX MATCH "^[0-9]+" BAREPROF_LLVM "${CMAKE_C_COMPILER_VERSION}")
endif()
if(NOT BAREPROF_LLVM)
  set(bareprof_FOUND FALSE)
  string(CONCAT bareprof_NOT_FOUND_MESSAGE
         "the C compiler is ${CMAKE_C_COMPILER_ID}, which makes no coverage that "
         "bareprof reads; use clang, or set BAREPROF_LLVM to the release of the "
         "clang that compiles the measured files")
  return()
endif()
set(bareprof_archives "${bareprof_prefix}/lib/bareprof")
set(bareprof_archive "${bareprof_archives}/llvm-${BAREPROF_LLVM}")
string(APPEND bareprof_archive "/${bareprof_target}/libbareprof.a")
if(NOT EXISTS "${bareprof_archive}")
  set(bareprof_FOUND FALSE)
  file(GLOB bareprof_there RELATIVE "${bareprof_archives}"
       "${bareprof_archives}/llvm-*/*/libbareprof.a")
  string(REPLACE "/libbareprof.a" "" bareprof_there "${bareprof_there}")
  string(REPLACE ";" ", " bareprof_there "${bareprof_there}")
  string(CONCAT bareprof_NOT_FOUND_MESSAGE
         "${bareprof_archive} is not there; installed are: ${bareprof_there}; "
         "run make install with LLVM=${BAREPROF_LLVM} "
         "INSTALL_TARGETS=${bareprof_target}, "
         "or set BAREPROF_LLVM and BAREPROF_TARGET")
  return()
endif()

if(NOT TARGET bareprof::bareprof)
  add_library(bareprof::bareprof STATIC IMPORTED GLOBAL)
  set_target_properties(bareprof::bareprof PROPERTIES
    IMPORTED_LOCATION "${bareprof_archive}"
    INTERFACE_INCLUDE_DIRECTORIES "${bareprof_prefix}/include/bareprof")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/bareprofFunctions.cmake")
