# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# NMIs on every CPU request stacks: whatever they interrupt, each request is answered once and by the right task, or
# counted as lost. First nobody but NMIs asks, so that both sides' numbers can be compared; then they hit those who ask.
# Expected: 60 s; STRESS=200 is the time between two NMIs on a CPU, in microseconds
. ./lib.sh

[ "$(uname -m)" = x86_64 ] || {
	echo "skipped: Debian's arm64 kernels have no pseudo-NMIs, so there is no NMI to ask in"
	exit 0
}

. "$CASES/stress.sh"

# Where the kernel's entry code and the module's code lie, as parameters of uwind_stress; the module's reach to its last function.
text_parameters() {
	awk '$3 == "__entry_text_start" { print "entry_start=0x" $1 }
		$3 == "__entry_text_end" { print "entry_end=0x" $1 }
		$4 == "[uwind]" && tolower($2) == "t" { at = "0x" $1; if (!low || at < low) low = at; if (at > high) high = at }
		END { print "module_start=" low; print "module_end=" high }' /proc/kallsyms
}

# So many NMIs and requests, and on occasions of each kind at least one has led to a request.
hit() {
	awk -v kinds=" $kinds " '$1 == "sent" && $2 < 1500 || index(kinds, " " $1 " ") && !$3 { few = 1 }
		$1 == "user" || $1 == "kernel" { asked += $3 }
		END { exit few || asked < 900 }' $ACCOUNT
}

no_session() { [ "$(status_of sessions)" = 0 ]; }

# under_stress NAME "KIND..." OPTION...: a recording until NMIs have hit everything. They still come when its session ends.
under_stress() {
	name=$1 kinds=$2
	shift 2
	# First, so that their tables are there when the samples begin; the stack of one takes long to walk.
	start_victims threads_victim fork_victim exec_victim
	nice $PROGRAMS/lives_victim killed &
	victims="$victims $!"
	begin "$name" -a "$@"
	until_true 60 has_tables lives_victim threads_victim fork_victim dd || fail "$name: tables are there: $(cat list.txt)"
	start=$(date +%s)
	# shellcheck disable=SC2086  # words
	start_stress contexts=nmi period_us="${STRESS:-200}" $text
	sleep 3
	until_true 120 hit || fail "$name: NMIs hit everything: $(grep -v process $ACCOUNT)"
	kill -TERM $recorder
	until_true 30 no_session || fail "$name: the session ends"
	seconds=$(($(date +%s) - start))
	cat $ACCOUNT >"$name.counts"
	rmmod uwind_stress || fail "$name: the NMIs end"
	# shellcheck disable=SC2086  # words
	kill -KILL $victims
	wait $recorder || fail "$name: recorded: $(cat "$name.log")"
	echo "$name: $seconds s; $(grep -v process "$name.counts" | tr '\n' ';') $(tail -n 1 "$name.log")"
}

# What holds for both. Most of dd's requests come from its way into the kernel or out of it; what is lost is lost by exec, exit
# and kill. A walk ends where its task is killed, and lives_victim's are killed all the time, in stacks of 400 frames.
kept="schema balance lost:10 samples:lives_victim:20 samples:dd:20 samples:threads_victim:20 samples:fork_victim:20
	complete:lives_victim:95:killed complete:dd:95 complete:threads_victim:95 complete:fork_victim:95
	bottom:dd bottom:fork_victim bottom:threads_victim bottom:lives_victim
	chain:lives_victim:descend:main chain:fork_victim:work_recurse:main chain:threads_victim:thread_work:clone"

text=$(text_parameters)
under_stress alone "user kernel entry module" -c 1000000000000
# shellcheck disable=SC2086
rules alone.json $kept bounded:alone.counts asked:alone.counts
under_stress both "user kernel entry module trigger" -F 1999
# shellcheck disable=SC2086
rules both.json $kept
remove_module "after the stress"
insert_module
echo "rmmod took $took ms"
