# SPDX-License-Identifier: GPL-2.0
# The benchmarks, and the libraries that make their stacks.
find_package(PkgConfig REQUIRED)
pkg_check_modules(UNWIND REQUIRED IMPORTED_TARGET libunwind)
pkg_check_modules(DW REQUIRED IMPORTED_TARGET libdw libelf)

# Compiled once more for each: a library's name is that of its functions.
foreach(library framed_a framed_b framed_c plain_a plain_b plain_c)
  add_library(bench_${library} SHARED bench/walk/calls.c)
  target_compile_definitions(bench_${library} PRIVATE BENCH_LIBRARY=bench_${library})
  target_compile_options(bench_${library} PRIVATE -O2 -fasynchronous-unwind-tables -Wa,--gsframe)
  target_link_libraries(bench_${library} PRIVATE uwind_options)
  list(APPEND bench_libraries bench_${library})
endforeach()
foreach(part a b c)
  target_compile_options(bench_framed_${part} PRIVATE -fno-omit-frame-pointer)
  target_compile_options(bench_plain_${part} PRIVATE -fomit-frame-pointer)
endforeach()

add_library(bench_report STATIC bench/report.cpp)
target_include_directories(bench_report PUBLIC .)
target_compile_options(bench_report PUBLIC -O2)
target_link_libraries(bench_report PRIVATE uwind_options)

uwind_test_program(bench_walk bench/bench_walk.cpp bench/walk/stack.cpp bench/walk/tables.cpp bench/walk/ours.cpp bench/walk/peers.cpp)
target_link_libraries(bench_walk PRIVATE bench_report ${bench_libraries} uwind_walk uwind_tables PkgConfig::UNWIND PkgConfig::DW)

uwind_test_program(bench_lower bench/bench_lower.cpp bench/lower/libdw.cpp)
target_link_libraries(bench_lower PRIVATE bench_report uwind_tables PkgConfig::DW)

# The module's own sets of ranges, for one thread.
add_library(bench_ranges STATIC ${PROJECT_SOURCE_DIR}/kmod/store/ranges.c)
target_include_directories(bench_ranges PUBLIC bench/kernel ${PROJECT_SOURCE_DIR}/kmod)
target_compile_options(bench_ranges PRIVATE -Wno-unused-parameter)
target_link_libraries(bench_ranges PUBLIC uwind_core PRIVATE uwind_options)

uwind_test_program(bench_lookup bench/bench_lookup.cpp)
target_compile_options(bench_lookup PRIVATE -Wno-unused-parameter)
target_link_libraries(bench_lookup PRIVATE bench_report bench_ranges)

# Where libzydis-dev is installed.
find_package(Zydis QUIET)
if(Zydis_FOUND)
  uwind_test_program(bench_decoders bench/bench_decoders.cpp)
  set_target_properties(bench_decoders PROPERTIES EXCLUDE_FROM_ALL ON)
  target_link_libraries(bench_decoders PRIVATE uwind_objects Zydis::Zydis)
endif()
