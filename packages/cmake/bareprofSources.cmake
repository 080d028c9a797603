# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The runtime and the host tool out of these sources, for FetchContent and for
# Zephyr. Sets bareprof_SCRIPTS, the folder of the linker scripts.
get_filename_component(bareprof_root "${CMAKE_CURRENT_LIST_DIR}/../.."
                       ABSOLUTE)
set(bareprof_ROOT "${bareprof_root}" CACHE INTERNAL "")
set(bareprof_SCRIPTS "${bareprof_root}/linker-scripts" CACHE INTERNAL "")

# bareprof_runtime(TARGET): the archive, for the project's compiler.
function(bareprof_runtime target)
  # Folder by folder: an archive's member is a file.
  set(runtime "${bareprof_ROOT}/runtime")
  set(patterns "${runtime}/*.c" "${runtime}/arch/*.c" "${runtime}/arch/*.S"
      "${runtime}/fold/*.c" "${runtime}/retain/*.c")
  # Atomics by the interrupt mask, where the core has none of 64 bits.
  if(CMAKE_C_COMPILER_TARGET MATCHES
     "^((thumb|arm)v(6m|7m|7em|8m|8\\.1m)|riscv)")
    list(APPEND patterns "${runtime}/atomic/*.c")
  endif()
  set(sources)
  foreach(pattern IN LISTS patterns)
    file(GLOB found CONFIGURE_DEPENDS "${pattern}")
    list(APPEND sources ${found})
  endforeach()

  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES C_STANDARD 11)
  target_include_directories(${target} PUBLIC "${bareprof_ROOT}/include")
  target_compile_options(${target} PRIVATE -Os -ffreestanding
    -ffunction-sections -fdata-sections -fno-unwind-tables
    -fno-asynchronous-unwind-tables)
  # For Arm, GNU ld compares what objects say of enums.
  if(CMAKE_C_COMPILER_TARGET MATCHES "^(arm|thumb)")
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:C>:SHELL:-include ${runtime}/arch/enums.h>")
  endif()
endfunction()

# bareprof_host_tool(): sets bareprof_TOOL to an installed tool, or to one that
# make builds with this machine's compiler.
function(bareprof_host_tool)
  find_program(bareprof_INSTALLED bareprof)
  if(bareprof_INSTALLED)
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
