# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What the command says about the module, and when there is none.
# Expected: 5 s
. ./lib.sh

uwind status >status.txt || fail "uwind status"
grep -qi abi status.txt || fail "the status names the ABI: $(cat status.txt)"
want "the command has a version" uwind --version
want "the command has help" uwind record --help >help.txt
remove_module "without a session"
want_status "without the module there is no recording" 69 sh -c 'uwind record -a --duration 1 -o x.json 2>message.txt'
grep -q 'modprobe uwind' message.txt || fail "the message says what to do: $(cat message.txt)"
insert_module
want "status works again" uwind status
