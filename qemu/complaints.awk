# SPDX-License-Identifier: GPL-2.0
# What a kernel prints on its console only when something is wrong with it; user programs' faults are logged in other words.
# A line for each, its fields separated by tabs: the case that ran (cases/run-all.sh names it in the log; 00_boot before the
# first), "ours" or "other", and the line. Ours: the call trace names a function of uwind's modules, or the line is a checker's,
# which only wrong code brings about. A stalled host may be behind the others.
#
# Usage: awk -f complaints.awk CONSOLE
BEGIN {
	FS = "\n"
	TRACE = 80 # lines
	CHECKERS = "KASAN|KCSAN|UBSAN|KFENCE|possible (circular|recursive) locking|irq lock inversion|inconsistent lock state"
	CHECKERS = CHECKERS "|suspicious RCU usage|INFO: lockdep|unreferenced object|new suspected memory leaks|scheduling while atomic"
	CHECKERS = CHECKERS "|sleeping function called|refcount_t:|Bad page state|list_(add|del) corruption"
	OTHERS = "BUG:|WARNING:|Oops|Internal error:|kernel BUG|Kernel panic|Call [Tt]race|INFO: (rcu|task)|rcu: INFO"
	OTHERS = OTHERS "|soft lockup|hard LOCKUP|general protection fault[,:]|Unable to handle kernel|unregister_netdevice: waiting"
	name = "00_boot"
}

/ cases: [0-9]+_[a-z0-9_]+ begins/ {
	name = $0
	sub(/.* cases: /, "", name)
	sub(/ begins.*/, "", name)
	first = found + 1 # no earlier complaint is this case's
}

# Whoever runs out of memory is traced too, which is no complaint.
/ invoked oom-killer: |: (page allocation failure|vmalloc error): |percpu: allocation failed/ { allowed = NR + 8 }

$0 ~ CHECKERS || $0 ~ OTHERS {
	if (NR <= allowed && /Call [Tt]race/) next
	line[++found] = $0
	case_of[found] = name
	at[found] = NR
	ours[found] = $0 ~ CHECKERS
}

/\+0x[0-9a-f]+\/0x[0-9a-f]+ \[uwind/ { for (i = found; i >= first && i > 0 && NR - at[i] <= TRACE; i--) ours[i] = 1 }

END { for (i = 1; i <= found; i++) printf "%s\t%s\t%s\n", case_of[i], ours[i] ? "ours" : "other", line[i] }
