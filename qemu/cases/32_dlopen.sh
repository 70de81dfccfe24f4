# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A library that is loaded and unloaded in a loop: its frames appear, with the callers on both sides of them. Two files by turns at
# the same address: a frame there is always of the file that was mapped then.
# Expected: 18 s
. ./lib.sh

want "a loading program is recorded" uwind record -F 499 -o r.json -- $PROGRAMS/dlopen_victim "$(seconds 9)" 1
rules r.json schema balance samples:dlopen_victim:200 complete:dlopen_victim:95 \
	chain:dlopen_victim:plugin_work:main chain:dlopen_victim:called_back:plugin_work bottom:dlopen_victim

want "a program that maps one file over another is recorded" uwind record -F 999 -o remap.json -- $PROGRAMS/remap_victim "$(seconds 5)"
rules remap.json schema balance samples:remap_victim:200 complete:remap_victim:90 \
	chain:remap_victim:work_first:calls_first chain:remap_victim:work_second:calls_second \
	never:remap_victim:work_first:calls_second never:remap_victim:work_second:calls_first
