# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A library that is loaded and unloaded in a loop: its frames appear, with the callers on both sides of them.
# Expected: 12 s
. ./lib.sh

want "a loading program is recorded" uwind record -F 499 -o r.json -- $PROGRAMS/dlopen_victim 9 1
rules r.json schema balance samples:dlopen_victim:200 complete:dlopen_victim:95 \
	chain:dlopen_victim:plugin_work:main chain:dlopen_victim:called_back:plugin_work bottom:dlopen_victim
