# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The functions that projects call, with the installed package and with
# FetchContent. bareprof_SCRIPTS is the folder of the linker scripts,
# bareprof_TOOL the host tool.

# bareprof_flags(VARIABLE [MCDC] [ATOMIC] [PGO] ...)
# Sets VARIABLE to the compiler flags for these options of bareprof_instrument.
function(bareprof_flags variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MCDC;ATOMIC;PGO" "" "")
  if(arg_PGO)
    set(flags -fprofile-generate)
  else()
    bareprof_described(flags measured)
  endif()
  string(REGEX MATCH "^[0-9]+" release "${CMAKE_C_COMPILER_VERSION}")
  bareprof_described(more "measured-${release}")
  list(APPEND flags ${more})
  if(arg_MCDC)
    list(APPEND flags -fcoverage-mcdc)
  endif()
  if(arg_ATOMIC)
    list(APPEND flags -fprofile-update=atomic)
  endif()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

# bareprof_instrument(TARGET... [MCDC] [ATOMIC] [PGO] [NARROW] [PLACE | TRACE])
# Instruments the C and C++ files of these targets, and of no others. MCDC also
# measures the conditions of decisions (clang 18 and later). ATOMIC is for code
# that tasks or interrupts share. PGO: -fprofile-generate instead of coverage.
# NARROW counts in 32 bits: `bareprof cc` becomes the launcher of the target's
# compilers. PLACE does the same, with counters in your own .bss. TRACE: no
# counters, but trace points for QEMU. PLACE and TRACE do not need
# bareprof_link.
function(bareprof_instrument)
  cmake_parse_arguments(PARSE_ARGV 0 arg "MCDC;ATOMIC;PGO;NARROW;PLACE;TRACE"
                        "" "")
  bareprof_flags(flags ${ARGV})
  set(launcher "${bareprof_TOOL};cc")
  if(arg_PLACE)
    list(APPEND launcher --place=bss)
    set(arg_NARROW TRUE)
  elseif(arg_TRACE)
    list(APPEND launcher --counters=trace)
    set(arg_NARROW TRUE)
  endif()
  if(arg_NARROW AND NOT bareprof_TOOL)
    message(FATAL_ERROR "bareprof_instrument: NARROW, PLACE and TRACE need the "
      "host tool; run make install, or set BAREPROF_BUILD_TOOL=ON with FetchContent")
  endif()
  foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:C,CXX>:${flags}>")
    if(arg_NARROW)
      set_target_properties(${target} PROPERTIES
        C_COMPILER_LAUNCHER "${launcher}"
        CXX_COMPILER_LAUNCHER "${launcher}")
      if(TARGET bareprof_host_tool)
        add_dependencies(${target} bareprof_host_tool)
      endif()
    endif()
  endforeach()
endfunction()

# bareprof_link(EXECUTABLE [LEAN] [INSERT [PHDRS] [RAM region] [ROM region]
#               [REGIONS file] [HEAP symbol...]])
# Adds the archive, the build id and the folder of the linker scripts, and runs
# `bareprof doctor` on the ELF. INSERT: your linker script has no line of
# bareprof, and stays so; counters go to the region RAM, records to ROM
# (default: RAM, FLASH). HEAP: these symbols, at which a heap begins, move to
# the end of the counters. PHDRS: your script has PHDRS. REGIONS: your own
# regions.ld instead of RAM, ROM and HEAP. LEAN: records stay in the ELF;
# without INSERT, your script has INCLUDE bareprof-lean.ld.
#
# Give your script as LINKER:-T,yours.ld: gcc moves a plain -T after all of
# these. If a library gives the script, as in an SDK, link that library before
# this call.
function(bareprof_link executable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LEAN;INSERT;PHDRS" "RAM;ROM;REGIONS"
                        "HEAP")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "bareprof_link: unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  # A project may use either signature of target_link_libraries, but not both.
  # Setting the property works with both.
  set_property(TARGET ${executable} APPEND PROPERTY LINK_LIBRARIES
    bareprof::bareprof)
  # GNU ld reads a script as soon as it sees -T, so -L must come before.
  target_link_options(${executable} BEFORE PRIVATE
    "LINKER:-L${bareprof_SCRIPTS}")
  bareprof_described(flags link)
  foreach(flag IN LISTS flags)
    target_link_options(${executable} PRIVATE "LINKER:${flag}")
  endforeach()
  if(arg_INSERT)
    bareprof_regions(${executable})
  endif()
  if(bareprof_TOOL)
    add_custom_command(TARGET ${executable} POST_BUILD VERBATIM
      COMMAND "${bareprof_TOOL}" doctor "$<TARGET_FILE:${executable}>")
    if(TARGET bareprof_host_tool)
      add_dependencies(${executable} bareprof_host_tool)
    endif()
  else()
    message(STATUS "bareprof: no host tool, so nothing examines ${executable}; "
      "run `bareprof doctor' on it")
  endif()
endfunction()

# Adds the scripts after the project's own. Reads the arguments of
# bareprof_link.
function(bareprof_regions executable)
  if(NOT arg_RAM)
    set(arg_RAM RAM)
  endif()
  if(NOT arg_ROM)
    set(arg_ROM FLASH)
  endif()
  if(arg_REGIONS)
    get_filename_component(regions "${arg_REGIONS}" ABSOLUTE)
  else()
    set(regions "${CMAKE_CURRENT_BINARY_DIR}/${executable}-regions.ld")
    string(CONCAT text "REGION_ALIAS(\"BAREPROF_RAM\", ${arg_RAM})\n"
      "REGION_ALIAS(\"BAREPROF_ROM\", ${arg_ROM})\n")
    foreach(symbol IN LISTS arg_HEAP)
      string(APPEND text "${symbol} = __bareprof_end;\n")
    endforeach()
    file(CONFIGURE OUTPUT "${regions}" CONTENT "${text}" @ONLY)
  endif()
  set(fragment bareprof)
  if(arg_LEAN)
    string(APPEND fragment -lean)
  endif()
  if(arg_PHDRS)
    string(APPEND fragment -phdrs)
  endif()
  # The scripts are options of a library, as a vendor's SDK gives its own
  # script. CMake puts the options of libraries after the executable's, in their
  # order.
  add_library(${executable}-bareprof INTERFACE)
  target_link_options(${executable}-bareprof INTERFACE "LINKER:-T,${regions}"
    "LINKER:-T,${fragment}-insert.ld")
  set_property(TARGET ${executable} APPEND PROPERTY LINK_LIBRARIES
    ${executable}-bareprof)
  set_property(TARGET ${executable} APPEND PROPERTY LINK_DEPENDS "${regions}")
endfunction()

# bareprof_report(EXECUTABLE [LOG...] [COMMAND command...] [PORT port [BAUD n]]
#                 [NAME name] [TEST] [OPTIONS option...])
# Reports the coverage of LOGs, of COMMAND's output (QEMU, for example), or of
# the board at PORT. The report is a target, or with TEST a test for ctest.
# NAME: the name of the target or test (default: EXECUTABLE-report), and the
# folder of the report. OPTIONS: options of `bareprof report`, for example
# --fail-under lines=80.
function(bareprof_report executable)
  if(NOT bareprof_TOOL)
    message(FATAL_ERROR "bareprof_report: the host tool is not on PATH; run "
      "make install, or set BAREPROF_BUILD_TOOL=ON with FetchContent")
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "TEST" "NAME;PORT;BAUD"
                        "COMMAND;OPTIONS")
  set(name ${arg_NAME})
  if(NOT name)
    set(name ${executable}-report)
  endif()
  set(elf "$<TARGET_FILE:${executable}>")
  set(to "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  if(arg_COMMAND)
    set(command "${bareprof_TOOL}" run ${elf} ${arg_UNPARSED_ARGUMENTS}
      -o "${to}" ${arg_OPTIONS} -- ${arg_COMMAND})
  elseif(arg_PORT)
    set(command "${bareprof_TOOL}" run ${elf} ${arg_UNPARSED_ARGUMENTS}
      -o "${to}" ${arg_OPTIONS} --port ${arg_PORT})
    if(arg_BAUD)
      list(APPEND command --baud ${arg_BAUD})
    endif()
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
