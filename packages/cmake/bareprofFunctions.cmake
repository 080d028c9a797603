# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The functions for projects, in the installed package and with FetchContent.
# bareprof_SCRIPTS is the folder of the linker scripts, bareprof_TOOL the host
# tool.

# bareprof_flags(VARIABLE [MCDC] [ATOMIC] [PGO] ...)
# The options of bareprof_instrument, as flags of the compiler.
function(bareprof_flags variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MCDC;ATOMIC;PGO" "" "")
  if(arg_PGO)
    set(flags -fprofile-generate)
  else()
    set(flags -fprofile-instr-generate -fcoverage-mapping)
  endif()
  if(arg_MCDC)
    list(APPEND flags -fcoverage-mcdc)
  endif()
  if(arg_ATOMIC)
    list(APPEND flags -fprofile-update=atomic)
  endif()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

# bareprof_instrument(TARGET... [MCDC] [ATOMIC] [PGO] [NARROW])
# Instruments the C and C++ files of these targets, and of no others. MCDC:
# conditions of decisions too, clang 18 and later. ATOMIC: tasks or interrupts
# share the code. PGO: -fprofile-generate instead of coverage. NARROW: count in
# 32 bits, by `bareprof cc` as the launcher of the target's compilers.
function(bareprof_instrument)
  cmake_parse_arguments(PARSE_ARGV 0 arg "MCDC;ATOMIC;PGO;NARROW" "" "")
  bareprof_flags(flags ${ARGV})
  foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:C,CXX>:${flags}>")
    if(arg_NARROW)
      set_target_properties(${target} PROPERTIES
        C_COMPILER_LAUNCHER "${bareprof_TOOL};cc"
        CXX_COMPILER_LAUNCHER "${bareprof_TOOL};cc")
      if(TARGET bareprof_host_tool)
        add_dependencies(${target} bareprof_host_tool)
      endif()
    endif()
  endforeach()
endfunction()

# bareprof_link(EXECUTABLE [LEAN] [INSERT [RAM region] [ROM region]])
# Adds the archive, the build id and the folder of the linker scripts. INSERT:
# your linker script has no line of bareprof, and stays so; counters go to the
# region RAM, records to ROM (default: RAM, FLASH). LEAN: records stay in the
# ELF; without INSERT, your script has INCLUDE bareprof-lean.ld.
function(bareprof_link executable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LEAN;INSERT" "RAM;ROM" "")
  target_link_libraries(${executable} PRIVATE bareprof::bareprof)
  # -L before the project's -T: GNU ld reads a script when it comes to it.
  target_link_options(${executable} BEFORE PRIVATE
    "LINKER:-L${bareprof_SCRIPTS}")
  target_link_options(${executable} PRIVATE LINKER:--build-id
    LINKER:--gc-sections)
  if(NOT arg_INSERT)
    return()
  endif()
  if(NOT arg_RAM)
    set(arg_RAM RAM)
  endif()
  if(NOT arg_ROM)
    set(arg_ROM FLASH)
  endif()
  set(regions "${CMAKE_CURRENT_BINARY_DIR}/${executable}-regions.ld")
  file(WRITE "${regions}"
    "REGION_ALIAS(\"BAREPROF_RAM\", ${arg_RAM})\n"
    "REGION_ALIAS(\"BAREPROF_ROM\", ${arg_ROM})\n")
  if(arg_LEAN)
    set(fragment bareprof-lean-insert.ld)
  else()
    set(fragment bareprof-insert.ld)
  endif()
  target_link_options(${executable} PRIVATE "LINKER:-T,${regions}"
    "LINKER:-T,${fragment}")
endfunction()

# bareprof_report(EXECUTABLE [LOG...] [COMMAND command...] [NAME name] [TEST]
#                 [OPTIONS option...])
# Reports the coverage of LOGs, or of COMMAND's output (QEMU, for example). The
# report is a target, or with TEST a test for ctest. NAME: the name of the
# target or test (default: the executable's name with -report behind), and the
# folder of the report. OPTIONS: options of `bareprof report`, for example
# --fail-under lines=80.
function(bareprof_report executable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TEST" "NAME" "COMMAND;OPTIONS")
  set(name ${arg_NAME})
  if(NOT name)
    set(name ${executable}-report)
  endif()
  set(elf "$<TARGET_FILE:${executable}>")
  set(to "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  if(arg_COMMAND)
    set(command "${bareprof_TOOL}" run ${elf} ${arg_UNPARSED_ARGUMENTS}
      -o "${to}" ${arg_OPTIONS} -- ${arg_COMMAND})
  else()
    set(command "${bareprof_TOOL}" report ${elf} ${arg_UNPARSED_ARGUMENTS}
      -o "${to}" ${arg_OPTIONS})
  endif()
  if(arg_TEST)
    add_test(NAME ${name} COMMAND ${command}
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  else()
    add_custom_target(${name} COMMAND ${command} VERBATIM USES_TERMINAL
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    add_dependencies(${name} ${executable})
    if(TARGET bareprof_host_tool)
      add_dependencies(${name} bareprof_host_tool)
    endif()
  endif()
endfunction()
