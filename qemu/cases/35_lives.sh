# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Lives that are hard on a sampler: each is recorded and accounted for; meanwhile rmmod is refused at once, and right
# afterwards, while the life goes on, it is done within a second.
# Expected: 90 s; LOADS=10000 is the long version; LIVES: which
. ./lib.sh

# The program starts before a thousand others that want to run.
refuses_rmmod() {
	start=$(date +%s%N)
	! nice -n -20 rmmod uwind 2>/dev/null || fail "$life: rmmod is refused while something records"
	took=$((($(date +%s%N) - start) / 1000000))
	[ $took -lt "${RMMOD_LIMIT_MS:-1000}" ] || fail "$life: rmmod was refused, but after $took ms"
}

# lives_victim says so after each thousand.
loaded() { [ "$(wc -l <loads.txt)" -ge $((${LOADS:-1000} / 1000)) ]; }

# live VERB RULE...: what holds for the report.
live() {
	life=$1
	shift
	insert_module
	with="nice -n -5" # the victims want all processors, and tables are to be made meanwhile
	begin "$life" -a -F 1999
	$PROGRAMS/lives_victim "$life" >"$life.txt" 2>&1 &
	victim=$!
	until_true "$PATIENCE" has_tables lives_victim || fail "$life: its table is there: $(cat list.txt)"
	sleep 2
	until_true "$PATIENCE" asked 2000 || fail "$life: samples are taken"
	[ "$life" != loads ] || until_true 300 loaded || fail "loads: ${LOADS:-1000} times"
	refuses_rmmod
	end "$life" $recorder "$@"
	remove_module "$life"
	! gone $victim || fail "$life: it lives on: $(cat "$life.txt")"
	kill -KILL $victim
	until_true "$PATIENCE" gone $victim || fail "$life: it can be killed"
	wait $victim 2>/dev/null
	echo "$life: rmmod took $took ms"
}

# rules_of LIFE. Some touch memory that must not be touched: samples from before are complete, and many where a busy host
# stretches the start.
rules_of() {
	case $1 in
	bomb) echo processes:lives_victim:100 samples:lives_victim:50 ;;
	killed) echo samples:lives_victim:100 complete:lives_victim:80 chain:lives_victim:descend:main ;;
	shares) echo samples:lives_victim:100 processes:lives_victim:5 ;;
	moves) echo samples:lives_victim:100 chain:lives_victim:moves:main ;;
	loads) echo samples:lives_victim:100 complete:lives_victim:80 chain:lives_victim:called_back:main ;;
	withheld | vvar | device) echo samples:lives_victim:100 stop:lives_victim:refused_read:20 ;;
	*) fail "there is no life '$1'" ;;
	esac
}

for life in ${LIVES:-bomb killed shares moves loads withheld vvar device}; do
	# shellcheck disable=SC2046  # words
	live "$life" $(rules_of "$life")
done
insert_module
