#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Programs of other languages than C and C++, for guests.
# Usage: build.sh ARCH FOLDER     ARCH: amd64 or arm64. Rust's and OCaml's are made for this machine's own architecture only.
set -eu
arch=$1
mkdir -p "$2"
out=$(readlink -f "$2")
cd "$(dirname "$(readlink -f "$0")")"
cp recursion.js "$out"
javac -d "$out" Recursion.java
export GOARCH="$arch" CGO_ENABLED=0 GO111MODULE=off GOFLAGS=
go build -o "$out/go_recursion" recursion.go
go build -ldflags='-s -w' -o "$out/go_stripped" recursion.go
go tool nm "$out/go_recursion" >"$out/go_names"
# The older of its ways to mangle names is for unstable compilers only, or for those that are told so.
export RUSTC_BOOTSTRAP=1
if [ "$arch" = "$(dpkg --print-architecture)" ]; then
	for mangling in legacy v0; do
		rustc --edition 2021 -O -C debuginfo=0 -Z unstable-options -C "symbol-mangling-version=$mangling" -o "$out/rust_$mangling" recursion.rs
	done
	rustc --edition 2021 -O -g -o "$out/rust_lines" lines.rs
	# The compiler leaves files beside the source.
	cp recursion.ml "$out"
	(cd "$out" && ocamlopt -o ocaml_recursion recursion.ml)
fi
