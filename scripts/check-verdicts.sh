#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What make check says of a machine whose cases fail, hang or bring the kernel down: of machines that are only played, a line of
# what each boot does. In the language of plays "b!" is a case that fails, "b?" one in which the machine is lost, "b#" one that says
# "never again", "b~" one that skips a test, "b:LINE" one while which the kernel says LINE. "boot:LINE" is a machine that says LINE
# and is lost before its first.
#
# Usage: check-verdicts.sh
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/lab/common.sh
. scripts/check/steps.sh
. scripts/check/vm.sh
. scripts/check/machines.sh
. scripts/check/kept.sh

OUT=$(mktemp -d)
trap 'rm -rf "$OUT"' EXIT
BROKEN=0
export UWIND_CACHE=$OUT/cache

cases_of() { printf '%s\n' 00_boot 10_a 20_b 30_c 40_d 50_e; }

# A play, one boot after the other; what has none left boots well.
run_vm() {
	local play number=0 name said
	if [ "$3" = true ]; then echo a kernel && return; fi
	while [ "$1" != /root/cases/run-all.sh ]; do shift; done
	shift
	play=${PLAY[$((BOOTS - 1))]:-}
	printf '[1.0] Linux version 6.1.0\n' >"$GUEST_OUT/console"
	case $play in boot:*)
		printf '[ 1.1] %b\n' "${play#boot:}" >>"$GUEST_OUT/console"
		return 125
		;;
	esac
	echo "KTAP version 1"
	for name; do
		number=$((number + 1))
		said=$(tr ';' '\n' <<<"$play" | sed -n "s/^${name#*_}//p")
		if [ "$name" != 00_boot ]; then echo "# $name is expected to take 5 s"; fi
		if [ "$name" != 00_boot ]; then echo "<6>[ 2.0] cases: $name begins" >>"$GUEST_OUT/console"; fi
		case $said in
		'?') return 125 ;;
		'#') echo "  # never again: the books do not balance" ;;
		'~') echo "  ok 1 inner # SKIP needs a moon" ;;
		:*) printf '[ 3.0] %b\n' "${said#:}" >>"$GUEST_OUT/console" ;;
		esac
		case $said in
		'!' | '#') printf '# %s: 7 s\nnot ok %d %s\n' "$name" $number "$name" ;;
		*) printf '# %s: 7 s\nok %d %s\n' "$name" $number "$name" ;;
		esac
	done
}

# expect BOOTS "VERDICT CASE..." UNSTEADY PLAY...: how often the machine booted, what is not ok, and which cases were unsteady.
expect() {
	local wanted="boots $1; not ok: $2; unsteady: $3" got
	PLAY=("${@:4}")
	: >"$OUT/unsteady"
	vm_boot "$MACHINE" >"$OUT/$MACHINE.log" 2>&1
	got="boots $BOOTS; not ok: $(last_verdicts "$MACHINE" | sed -n '/^ok/!s/ [0-9]*$//p' | xargs); unsteady: $(cut -d' ' -f1 "$OUT/unsteady" | xargs)"
	[ "$got" = "$wanted" ] || BROKEN=1
	[ "$got" = "$wanted" ] || printf 'play: %s\nsays:  %s\nwants: %s\n' "${*:4}" "$got" "$wanted"
}

MACHINE=vm-amd64-6.1
OURS=':BUG: unable to handle page fault\n[ 3.1]  uw_walk_run+0x10/0x20 [uwind]'
OTHER=':watchdog: BUG: soft lockup - CPU#1 stuck\n[ 3.1]  vfs_read+0x10/0x20\n[ 3.2] Modules linked in: uwind(OE) uwind_resident1(OE)'
expect 1 '' ''
expect 2 '' amd64-6.1-20_b 'b!'
expect 3 '' amd64-6.1-20_b 'b!' 'b!'
expect 3 'FAIL 20_b' '' 'b!' 'b!' 'b!'
expect 1 'WRONG 20_b' '' 'b#'
expect 2 'WRONG 20_b' '' 'b!' 'b#'
expect 3 '' amd64-6.1-20_b 'b?'
expect 4 '' 'amd64-6.1-20_b amd64-6.1-40_d' 'b?' 'd!'
expect 1 'WRONG 20_b' '' "b$OURS"
expect 2 '' amd64-6.1-20_b "b$OTHER"
expect 3 '' amd64-6.1-00_boot 'boot:nothing more'
expect 2 'WRONG 00_boot' '' "boot${OURS}"
expect 1 'FAIL 10_a FAIL 20_b FAIL 30_c FAIL 40_d' '' 'a!;b!;c!;d!'
expect 4 'FAIL 10_a' amd64-6.1-20_b 'a!;b!' 'a!' 'a!'

# What a verdict of a case says, and where.
PLAY=("b$OTHER" 'b!' 'b!')
vm_boot $MACHINE >"$OUT/$MACHINE.log" 2>&1
if said=$(vm_verdict $MACHINE 20_b); then BROKEN=1; fi
grep -q "^FAIL 20_b 7 ($OUT/$MACHINE/3)$" <<<"$said" || { BROKEN=1 && echo "$said"; }
vm_verdict $MACHINE 30_c >/dev/null || BROKEN=1
PLAY=('b~')
vm_boot $MACHINE >"$OUT/$MACHINE.log" 2>&1
SAID=$(lone_step skips vm_verdict $MACHINE 20_b)
[ "$SAID" = 'cases: 1 passed, 0 failed, 1 skipped: inner (needs a moon)' ] || BROKEN=1

# Verdicts that are kept: what passed at once and is what it was is not run again. The cases' files are in a tree of their own.
eval "$(declare -f contents_of_machine | sed '1s/.*/real_contents() /')"
contents_of_machine() { echo "$CONTENTS"; }
mkdir -p "$OUT/tree/qemu/cases"
ln -s "$PWD/scripts" "$OUT/tree/scripts"
cp qemu/complaints.awk "$OUT/tree/qemu/"
cd "$OUT/tree"
for name in 10_a 20_b 30_c 40_d 50_e; do echo "$name" >qemu/cases/$name.sh; done

# ran "CASE...": those that the last play ran, as its boots say.
ran() {
	local got
	got=$(sed -n 's/^boot [0-9]*: \([0-9].*\)/\1/p' "$OUT/$MACHINE.log" | xargs)
	[ "$got" = "$1" ] || { BROKEN=1 && printf 'ran: %s\nwants: %s\n' "$got" "$1"; }
}

MACHINE=full-amd64-6.1
CONTENTS=one
ALL='00_boot 10_a 20_b 30_c 40_d 50_e'
expect 4 'FAIL 40_d' full-amd64-6.1-20_b 'b!;c~;d!' '' 'd!' 'd!'
expect 1 '' ''
ran '20_b 40_d'
SAID=$(lone_step skips vm_verdict $MACHINE 30_c)
[ "$SAID" = 'cases: 1 passed, 0 failed, 1 skipped: inner (needs a moon)' ] || BROKEN=1
said=$(vm_verdict $MACHINE 30_c)
grep -q '^# 30_c is expected to pass: it has, with the same contents, on .*; AGAIN=1 runs it again$' <<<"$said" || { BROKEN=1 && echo "$said"; }
rm -f "$OUT/kept"
expect 0 '' ''
[ "$(xargs <"$OUT/kept")" = 'amd64-6.1-00_boot amd64-6.1-10_a amd64-6.1-20_b amd64-6.1-30_c amd64-6.1-40_d amd64-6.1-50_e' ] || BROKEN=1
echo changed >qemu/cases/20_b.sh
expect 4 '' 'full-amd64-6.1-00_boot full-amd64-6.1-20_b' "boot:nothing more" 'b!'
ran '20_b 20_b 00_boot 20_b'
AGAIN=1 expect 1 '' ''
ran "$ALL"
CONTENTS=two expect 1 '' ''
ran "$ALL"

# What a machine is made of: as it is in another folder and with other comments, and not so with other code, work or helpers.
make_tree() { # FOLDER CODE
	mkdir -p "$1"/{qemu/cases,scripts/{lab,check,demo-work},tests/bpf,build/amd64/{daemon,programs,tests},kmod}
	touch "$1"/qemu/{run.sh,init,complaints.awk,cases/{lib.sh,20_b.sh,38_f.sh}} "$1"/scripts/lab/guest-{files,modules}.sh \
		"$1"/scripts/{check/verdicts.py,demo-assert.py,demo-guest.sh,demo-work/work.py} "$1"/{tests/bpf/a.bpf.c,kmod/a.c}
	echo "$2" >"$1/a.c"
	gcc -g -o "$1/build/amd64/programs/a" "$1/a.c"
}
key() { (cd "$1" && real_contents $MACHINE | hash_of && kept_verdict $MACHINE one 20_b && kept_verdict $MACHINE one 38_f); } # FOLDER

# differs FOLDER WANTED: in which of machine (1), a case (2) and one with the other module (3) a folder is not as the first.
differs() {
	local got
	got=$({ diff <(key "$OUT/first" | nl) <(key "$1" | nl) || true; } | sed -n 's/^> *\([0-9]\).*/\1/p' | xargs)
	[ "$got" = "$2" ] || { BROKEN=1 && echo "$1 differs in '$got', not '$2'"; }
}

make_tree "$OUT/first" 'int main(void) { return 0; }'
make_tree "$OUT/another_clone" '/* a comment */ int main(void) { return 0; }'
differs "$OUT/another_clone" ''
make_tree "$OUT/other_code" 'int main(void) { return 1; }'
differs "$OUT/other_code" 1
for file in scripts/demo-work/work.py qemu/cases/lib.sh tests/bpf/a.bpf.c; do
	echo changed >"$OUT/another_clone/$file"
	differs "$OUT/another_clone" 1
	: >"$OUT/another_clone/$file"
done
echo changed >"$OUT/another_clone/kmod/a.c"
differs "$OUT/another_clone" 3
exit $BROKEN
