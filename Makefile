# SPDX-License-Identifier: GPL-2.0
# The front door: one line per verb. What a verb does is in scripts/.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEOVERRIDES :=
# Many tools want a home; a service or a CI run may have none.
export HOME := $(or $(HOME),$(shell getent passwd "$$(id -u)" | cut -d: -f6))

ARCH   ?= $(shell dpkg --print-architecture)
KERNEL ?= 6.1
PREFIX ?= /usr/local
BUILD  := build/$(ARCH)

.PHONY: help setup build kmod demo check check-vm check-long check-matrix test-vm bench bench-vm lint fmt install uninstall deb clean
.DEFAULT_GOAL := help

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## install the Debian packages that are missing, fetch the kernels
	@scripts/setup.sh

build: setup ## programs, victims and module in build/ARCH     [ARCH=amd64|arm64] [KERNEL=6.1|6.12|7.2|…-rt|…-16k]
	@scripts/check.sh build $(ARCH) $(KERNEL)

kmod: setup ## the module alone, for a stock Debian kernel         [ARCH=…] [KERNEL=…]
	@scripts/lab/build-kmod.sh $(ARCH) $(KERNEL) $(BUILD)/kmod-$(KERNEL)

demo: setup ## complete stacks of real programs in a VM            [ARCH=…] [KERNEL=…]
	@scripts/demo.sh $(ARCH) $(KERNEL)

check: ## what a change must pass, on the host and in VMs: a quarter of an hour, the first time half of one (ctest --preset check)
	@scripts/check.sh all

check-vm: ## all cases on all kernels, in VMs with two processors: what has changed, or half an hour a kernel  [AGAIN=1: all]
	@scripts/check.sh check-vm

check-long: ## one part of the longer tests    [PART=figures|fuzz|fuzz-PARSER|hostile-KERNEL-USER|late-threads|matrix-amd64|matrix-arm64|matrix-arm-SET|packages|reader-KERNEL|rows|service-SUITE|shadow|spaces-KERNEL|sframe|sframe-arm64|trouble|truth|truth-arm64|attack-ARCH|bystander-ARCH|cost-ARCH|databases-ARCH|events-ARCH|functions-ARCH|lives-ARCH|profile-ARCH|requests-ARCH|stopped-ARCH|storm-ARCH|unload-ARCH-KERNEL|warmup-ARCH]
	@scripts/check.sh long $(PART)

check-matrix: setup ## the module on every kernel, one part at a time  [PART=build-ARCH|vm-ARCH-KERNEL|vm-ARCH-6.1-debug-GROUP|table]
	@scripts/check.sh matrix $(PART)

test-vm: setup ## one VM case, or all                                   [CASE=60_unload] [CYCLES=100] [ARCH=…] [KERNEL=…]
	@CASE='$(CASE)' CYCLES='$(CYCLES)' scripts/check.sh vm $(ARCH) $(KERNEL)

bench: ## ratios to other unwinders and readers, in out/bench, beside the committed baseline  [RUNS=1] [RENEW=1: a new baseline]
	@scripts/setup.sh bench.list
	@RUNS='$(RUNS)' RENEW='$(RENEW)' scripts/check.sh bench

bench-vm: setup ## the same in guests that count instructions: what a sample costs beside perf, growth, rate; 20 minutes  [GROUP=workloads|growth|rate] [WORK=python3,…] [HZ=999,…] [RENEW=1] [ARCH=…] [KERNEL=…]
	@scripts/setup.sh bench.list
	@GROUP='$(GROUP)' WORK='$(WORK)' HZ='$(HZ)' RENEW='$(RENEW)' scripts/check.sh bench-vm $(ARCH) $(KERNEL)

lint: setup ## layers, version tests, sizes, format, words, shellcheck, clang-tidy
	@scripts/check.sh lint

fmt: ## clang-format over C and C++
	@scripts/check-format.sh -i

install: ## programs, unit, manual pages, completions, and the module for this kernel [DESTDIR=] [PREFIX=/usr/local]
	@scripts/install.sh install '$(BUILD)' '$(DESTDIR)' '$(PREFIX)'

uninstall: ## what install put there
	@scripts/install.sh uninstall '$(BUILD)' '$(DESTDIR)' '$(PREFIX)'

deb: ## the Debian packages uwind and uwind-dkms, for amd64 and arm64, in out/deb
	@scripts/setup.sh packaging.list
	@scripts/deb.sh

clean: ## remove build/ and out/; the cache stays
	@rm -rf build out
