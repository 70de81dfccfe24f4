# SPDX-License-Identifier: GPL-2.0
# What is installed beside the two programs, and where systemd, udev and the shells look for it. The module is not
# CMake's: scripts/install.sh, debian/rules.
include(GNUInstallDirs)

# Folders outside of the prefix: Debian's own, the administrator's, or anybody's.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(units /lib)
  set(conf /usr/lib)
  set(zsh ${CMAKE_INSTALL_FULL_DATADIR}/zsh/vendor-completions)
elseif(CMAKE_INSTALL_PREFIX STREQUAL "/usr/local")
  set(units /usr/local/lib)
  set(conf /usr/local/lib)
  set(zsh ${CMAKE_INSTALL_FULL_DATADIR}/zsh/site-functions)
else()
  set(units /etc)
  set(conf /etc)
  set(zsh ${CMAKE_INSTALL_FULL_DATADIR}/zsh/site-functions)
endif()

# The unit names the program without a folder; systemd does not look everywhere.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS systemd/uwindd.service)
file(READ systemd/uwindd.service unit)
string(REGEX REPLACE "(\nExec[A-Za-z]*=)uwindd" "\\1${CMAKE_INSTALL_FULL_SBINDIR}/uwindd" unit "${unit}")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/uwindd.service "${unit}")

install(TARGETS uwind DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS uwindd DESTINATION ${CMAKE_INSTALL_SBINDIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/uwindd.service DESTINATION ${units}/systemd/system)
install(FILES systemd/uwind.rules DESTINATION ${units}/udev/rules.d RENAME 60-uwind.rules)
install(FILES systemd/uwind.sysusers DESTINATION ${conf}/sysusers.d RENAME uwind.conf)
install(FILES systemd/uwind.tmpfiles DESTINATION ${conf}/tmpfiles.d RENAME uwind.conf)
install(FILES completions/uwind.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME uwind)
install(FILES completions/_uwind DESTINATION ${zsh})
install(FILES ${PROJECT_SOURCE_DIR}/include/uwind-report.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/uwind)
file(GLOB pages CONFIGURE_DEPENDS man/*.[1-8])
foreach(page ${pages})
  cmake_path(GET page EXTENSION LAST_ONLY section)
  string(REPLACE . man folder ${section})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/${folder})
endforeach()

# A configuration file that is there stays as it is.
install(CODE "if(NOT EXISTS \"\$ENV{DESTDIR}/etc/uwind/uwindd.conf\")
  file(INSTALL \"${CMAKE_CURRENT_SOURCE_DIR}/systemd/uwindd.conf\" DESTINATION /etc/uwind)
endif()")
