# SPDX-License-Identifier: GPL-2.0
# Writes a test of CTest for each file of unit tests that the program knows: to begin under sanitizers takes longer than most
# test cases do. Files of the same name are one test. unit/main.cpp says how many cases passed, which summary.py counts.
#
# Usage: cmake -D PROGRAM=… -D OUTPUT=… -P add_unit_tests.cmake
set(not_hidden "~[.]") # those with a tag that hides them need something that not every machine has
execute_process(COMMAND ${PROGRAM} --filenames-as-tags --list-tags ${not_hidden} OUTPUT_VARIABLE tags ERROR_VARIABLE errors)
string(REGEX MATCHALL "\\[#[^]]+\\]" tags "${tags}")
if(NOT tags)
  message(FATAL_ERROR "${PROGRAM} lists no tests: ${errors}")
endif()
set(tests "")
foreach(tag ${tags})
  string(REGEX REPLACE "^\\[#|\\]$" "" file "${tag}")
  string(APPEND tests "add_test(\"unit:${file}\" \"${PROGRAM}\" --warn NoTests --filenames-as-tags \"${tag}${not_hidden}\")\n"
    "set_tests_properties(\"unit:${file}\" PROPERTIES LABELS unit TIMEOUT 900 SKIP_RETURN_CODE 77)\n")
endforeach()
file(WRITE ${OUTPUT} "${tests}")
