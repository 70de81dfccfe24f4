#!/bin/sh -e
# SPDX-License-Identifier: GPL-2.0
# What calls cost while nothing is traced, and while functions are. Usage: functions.sh NAME=VALUE..., keys of all figures.
python3 /root/cost/idle.py "$@"
python3 /root/cost/ftrace.py "$@"
