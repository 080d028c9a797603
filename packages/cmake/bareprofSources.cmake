# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the runtime and the host tool from these sources. FetchContent
# (CMakeLists.txt) and Zephyr (../zephyr) include this file. Sets
# bareprof_SCRIPTS, the folder of the linker scripts.
get_filename_component(bareprof_root "${CMAKE_CURRENT_LIST_DIR}/../.."
                       ABSOLUTE)
set(bareprof_ROOT "${bareprof_root}" CACHE INTERNAL "")
set(bareprof_SCRIPTS "${bareprof_root}/linker-scripts" CACHE INTERNAL "")

include("${CMAKE_CURRENT_LIST_DIR}/bareprofTarget.cmake")

# bareprof_runtime(TARGET): defines TARGET, which builds the archive with the
# project's compiler.
function(bareprof_runtime target)
  bareprof_described(patterns sources)
  bareprof_described(flags compile)
  bareprof_described(enums enums)
  # A core without 64-bit atomics gets atomics that mask interrupts.
  bareprof_target(name mask)
  if(mask STREQUAL "mask")
    bareprof_described(masked masked)
    list(APPEND patterns ${masked})
  elseif(NOT name)
    message(STATUS "bareprof: no target of packages/description is that of "
      "this compiler; -fprofile-update=atomic may lack functions")
  endif()
  # The archive has one member for each file.
  set(sources)
  foreach(pattern IN LISTS patterns)
    file(GLOB found CONFIGURE_DEPENDS "${bareprof_ROOT}/${pattern}")
    list(APPEND sources ${found})
  endforeach()

  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES C_STANDARD 11)
  target_include_directories(${target} PUBLIC "${bareprof_ROOT}/include")
  target_compile_options(${target} PRIVATE ${flags})
  if(name MATCHES "^(arm|thumb)")
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:C>:SHELL:-include ${bareprof_ROOT}/${enums}>")
  endif()
endfunction()

# bareprof_host_tool(): sets bareprof_TOOL to an installed tool. If there is
# none and BAREPROF_BUILD_TOOL is set, make builds one with this machine's
# compiler.
function(bareprof_host_tool)
  find_program(bareprof_INSTALLED bareprof)
  if(bareprof_INSTALLED OR NOT BAREPROF_BUILD_TOOL)
    set(bareprof_TOOL "${bareprof_INSTALLED}" CACHE INTERNAL "")
    return()
  endif()
  set(host "${CMAKE_CURRENT_BINARY_DIR}/host")
  set(bareprof_TOOL "${host}/bareprof" CACHE INTERNAL "")
  add_custom_command(OUTPUT "${bareprof_TOOL}"
    COMMAND make -s -C "${bareprof_ROOT}" tool "BUILD=${host}"
    COMMENT "The host tool of bareprof" VERBATIM)
  add_custom_target(bareprof_host_tool ALL DEPENDS "${bareprof_TOOL}")
endfunction()
