# SPDX-License-Identifier: GPL-2.0
# Every test of the project as a test of CTest: the unit tests by file, everything else as a function of scripts/check/.
#
# Labels: unit, lint, build, vm, fuzz, truth; full, long and matrix, which `ctest --preset check` leaves out.
set(unit_files ${CMAKE_CURRENT_BINARY_DIR}/unit_files.cmake)
add_custom_command(TARGET unit_tests POST_BUILD VERBATIM
  COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:unit_tests> -D OUTPUT=${unit_files} -P ${CMAKE_CURRENT_SOURCE_DIR}/add_unit_tests.cmake)
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${unit_files})

# uwind_check(NAME [GIVES FIXTURE] [SECONDS N] [ALL_PROCESSORS] [LABELS ...] [NEEDS FIXTURE...] [LOCKS LOCK...] RUN FUNCTION [ARGUMENT...])
# SECONDS is what it takes on two cores; with ten times that, and two minutes, it counts as stuck.
# A test that exits with 77 is skipped, and counted as such.
function(uwind_check name)
  cmake_parse_arguments(PARSE_ARGV 1 check "ALL_PROCESSORS" "GIVES;SECONDS" "LABELS;NEEDS;LOCKS;RUN")
  set(check_script ${PROJECT_SOURCE_DIR}/scripts/check.sh)
  add_test(NAME ${name} COMMAND ${check_script} step ${name} ${check_RUN})
  math(EXPR limit "120 + 10 * ${check_SECONDS}")
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 COST ${check_SECONDS} TIMEOUT ${limit} LABELS "${check_LABELS}"
    FIXTURES_REQUIRED "${check_NEEDS}" RESOURCE_LOCK "${check_LOCKS}")
  if(check_GIVES)
    set_tests_properties(${name} PROPERTIES FIXTURES_SETUP ${check_GIVES})
  endif()
  # CTest takes all that there are for what asks for more.
  if(check_ALL_PROCESSORS)
    set_tests_properties(${name} PROPERTIES PROCESSORS 1024)
  endif()
endfunction()

# uwind_build(NAME SECONDS [NEEDS ...] [LOCKS ...] RUN ...): what machines need, and so before them, in the order in which it stands
# here. Of those with the same lock one at a time: each uses all processors while it compiles, and the other lock's has them while it
# links.
set(build_cost 2000)
function(uwind_build name seconds)
  uwind_check(${name} GIVES ${name} SECONDS ${seconds} LABELS build ${ARGN})
  math(EXPR build_cost "${build_cost} - 1")
  set_tests_properties(${name} PROPERTIES COST ${build_cost})
  set(build_cost ${build_cost} PARENT_SCOPE)
endfunction()

# The words that a function of scripts/check/ prints, one a line.
function(uwind_list result)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/check.sh list ${ARGN} OUTPUT_VARIABLE lines
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" lines "${lines}")
  set(${result} ${lines} PARENT_SCOPE)
endfunction()

# A machine boots and runs its cases, in more boots than one if it must; each case is a test that reads what the machine said of it.
# Its set is vm, of make check, or full, of make check-vm (scripts/check/machines.sh).
function(uwind_machine set arch kernel seconds)
  set(machine ${set}-${arch}-${kernel})
  string(REGEX REPLACE "^vm-" "" cases_prefix ${machine})
  set(needs build-tools-${arch} build-truth-${arch} build-programs-${arch} build-kmod-${arch}-${kernel} build-test-kmod-${arch}-${kernel})
  if(set STREQUAL "full" AND TEST build-stall-kmod-${arch}-${kernel})
    list(APPEND needs build-stall-kmod-${arch}-${kernel})
  endif()
  uwind_check(${machine} GIVES ${machine} SECONDS ${seconds} LABELS ${set} NEEDS ${needs} LOCKS machine-${arch}
    RUN for_kernel ${arch} ${kernel} vm_boot ${machine})
  # What lasts longest begins as soon as it can, but not before both architectures' programs are compiled: a machine takes one of two
  # processors from the compilers that the other's waits for, which would then be the last to end, alone.
  math(EXPR cost "3000 + ${seconds}")
  set(compiled)
  foreach(each amd64 arm64)
    list(APPEND compiled build-tools-${each} build-truth-${each} build-programs-${each})
  endforeach()
  set_tests_properties(${machine} PROPERTIES COST ${cost} DEPENDS "${compiled}")
  uwind_list(cases cases_of ${machine})
  foreach(case ${cases})
    uwind_check(${cases_prefix}-${case} SECONDS 0 LABELS ${set} NEEDS ${machine} RUN vm_verdict ${machine} ${case})
  endforeach()
endfunction()

uwind_build(fetched 300 RUN fetched)
foreach(arch amd64 arm64)
  uwind_build(build-tools-${arch} 150 LOCKS compile RUN build_tools ${arch})
  uwind_build(build-truth-${arch} 60 LOCKS compile RUN build_truth ${arch})
  uwind_build(build-programs-${arch} 20 LOCKS compile RUN build_programs ${arch})
endforeach()
uwind_list(kernels stock_kernels)
foreach(kernel ${kernels})
  foreach(arch amd64 arm64)
    uwind_build(build-kmod-${arch}-${kernel} 60 NEEDS fetched LOCKS kbuild RUN for_kernel ${arch} ${kernel} build_kmod ${arch} ${kernel})
    uwind_build(build-test-kmod-${arch}-${kernel} 15 NEEDS fetched LOCKS kbuild RUN for_kernel ${arch} ${kernel} build_test_kmod ${arch} ${kernel})
    uwind_list(stalled stalled_kernels ${arch})
    if(kernel IN_LIST stalled)
      uwind_build(build-stall-kmod-${arch}-${kernel} 60 NEEDS fetched LOCKS kbuild RUN for_kernel ${arch} ${kernel} build_stall_kmod ${arch} ${kernel})
      set_tests_properties(build-stall-kmod-${arch}-${kernel} PROPERTIES LABELS "build;full")
    endif()
  endforeach()
endforeach()
uwind_check(build-fuzz GIVES build-fuzz SECONDS 60 LABELS build LOCKS compile RUN build_fuzz)

foreach(arch amd64 arm64)
  foreach(kernel ${kernels})
    if(kernel STREQUAL "6.1")
      uwind_machine(vm ${arch} ${kernel} 300)
    else()
      uwind_machine(vm ${arch} ${kernel} 100)
    endif()
    uwind_machine(full ${arch} ${kernel} 1500)
  endforeach()
endforeach()
uwind_check(restarted SECONDS 15 LABELS vm NEEDS fetched RUN restarted_guest)

uwind_list(host host_arch)
uwind_check(layers SECONDS 1 LABELS lint RUN scripts/check-layers.sh)
uwind_check(versions SECONDS 1 LABELS lint RUN scripts/check-versions.sh)
uwind_check(sizes SECONDS 2 LABELS lint RUN scripts/check-sizes.sh)
uwind_check(format SECONDS 15 LABELS lint RUN scripts/check-format.sh)
uwind_check(words SECONDS 1 LABELS lint RUN scripts/check-words.sh)
uwind_check(docs SECONDS 1 LABELS lint RUN scripts/check-docs.py)
uwind_check(shellcheck SECONDS 30 LABELS lint RUN lint_shell)
uwind_check(pages SECONDS 5 LABELS lint NEEDS build-tools-${host} RUN scripts/check-pages.py build/${host}/daemon)
uwind_check(tidy SECONDS 500 ALL_PROCESSORS LABELS lint long RUN lint_tidy)

uwind_check(refused-cfi SECONDS 5 RUN refuse_cfi)
uwind_check(perf-events SECONDS 30 RUN unit_test perf)
uwind_check(perf-tracepoints SECONDS 10 RUN unit_test perf-tracepoints)
uwind_check(kernel-filters SECONDS 10 RUN unit_test kernel-filters)
uwind_check(summary SECONDS 1 RUN scripts/check-summary.sh)
uwind_check(verdicts SECONDS 25 RUN scripts/check-verdicts.sh)
uwind_check(bench-table SECONDS 2 RUN scripts/check-bench.sh)
uwind_check(fetch SECONDS 30 RUN scripts/check-fetch.sh)
uwind_check(install SECONDS 5 NEEDS build-tools-${host} RUN scripts/check-install.sh build/${host})

# The core against a shadow stack, gdb and programs of several compilers.
uwind_check(truth-step SECONDS 5 LABELS truth NEEDS build-truth-amd64 build-programs-amd64 RUN truth_step)
uwind_check(truth-step-sframe SECONDS 5 LABELS truth NEEDS build-truth-amd64 build-programs-amd64 RUN truth_step_sframe)
uwind_check(truth-gdb SECONDS 30 LABELS truth NEEDS build-truth-amd64 build-programs-amd64
  RUN truth_gdb 40 python3 perl gawk sqlite3 openssl bash git cc1plus threads)
uwind_check(truth-matrix SECONDS 10 LABELS truth NEEDS build-truth-amd64 RUN matrix_quick)

uwind_list(targets fuzz_targets)
foreach(target ${targets})
  uwind_check(${target} SECONDS 5 LABELS fuzz NEEDS build-fuzz RUN fuzz_briefly ${target})
endforeach()

# What is longer, in parts of at most twenty minutes. They keep their verdicts by content (scripts/check/parts.sh).
foreach(set long matrix)
  uwind_list(parts ${set}_part_names)
  foreach(part ${parts})
    add_test(NAME ${set}-${part} COMMAND ${PROJECT_SOURCE_DIR}/scripts/check.sh ${set} ${part})
    set_tests_properties(${set}-${part} PROPERTIES LABELS ${set} RUN_SERIAL ON TIMEOUT 7200)
  endforeach()
endforeach()
