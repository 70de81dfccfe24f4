# SPDX-License-Identifier: GPL-2.0
# CMake toolchain file for arm64 on another host: the cross compiler with the sysroot that sysroot.sh makes.
#
# The sysroot is CMAKE_SYSROOT or the environment variable UWIND_SYSROOT; without one, sysroot.sh is asked.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

if(NOT UWIND_SYSROOT)
  if(CMAKE_SYSROOT)
    set(UWIND_SYSROOT "${CMAKE_SYSROOT}")
  elseif(DEFINED ENV{UWIND_SYSROOT})
    set(UWIND_SYSROOT "$ENV{UWIND_SYSROOT}")
  else()
    execute_process(COMMAND "${CMAKE_CURRENT_LIST_DIR}/sysroot.sh" arm64
      OUTPUT_VARIABLE UWIND_SYSROOT OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "no arm64 sysroot: scripts/lab/sysroot.sh arm64 tells why")
    endif()
  endif()
endif()
set(UWIND_SYSROOT "${UWIND_SYSROOT}" CACHE PATH "arm64 sysroot" FORCE)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES UWIND_SYSROOT)

set(CMAKE_SYSROOT "${UWIND_SYSROOT}")
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# The cross compiler looks for start files in its own place: show it the sysroot's multiarch folder.
foreach(kind EXE SHARED MODULE)
  string(APPEND CMAKE_${kind}_LINKER_FLAGS_INIT " -B${UWIND_SYSROOT}/usr/lib/aarch64-linux-gnu")
endforeach()

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# pkg-config must see the sysroot's files only.
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${UWIND_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${UWIND_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${UWIND_SYSROOT}/usr/share/pkgconfig")
