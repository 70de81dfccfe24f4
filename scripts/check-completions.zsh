# SPDX-License-Identifier: GPL-2.0
# Types into an interactive zsh, presses the tab key, and compares the line that comes of it. Needs uwind's completion installed.
#
# Usage: zsh -f check-completions.zsh
zmodload zsh/zpty

# What is typed, what it becomes.
cases=(
	'uwind rep' 'uwind report'
	'uwind report --form' 'uwind report --format'
	'uwind report --format=fol' 'uwind report --format=folded'
	'uwind report -i /etc/debian_ver' 'uwind report -i /etc/debian_version'
	'uwind record -e cy' 'uwind record -e cycles'
	'uwind record --event cpu' 'uwind record --event cpu-clock'
	'uwind record -a --dur' 'uwind record -a --duration'
	'uwind record -- mkfif' 'uwind record -- mkfifo'
	'uwind table ch' 'uwind table check'
	'uwind table stat --sou' 'uwind table stat --source'
	'uwind table dump --source=sf' 'uwind table dump --source=sframe'
	'uwind table keep --jo' 'uwind table keep --jobs'
)

# Behind the tab, ctrl-A and a command that prints the line.
complete_line() {
	local out all=''
	zpty shell zsh -fi
	zpty -w shell 'PS1=; autoload -Uz compinit; compinit -D -u; print ready-$((1+1))'
	zpty -r shell out '*ready-2*'
	zpty -w -n shell "$1"$'\t\C-aprint -r made: \n'
	while zpty -r shell out; do
		all+=$out
		[[ $all = *$'\n'made:*$'\n' ]] && break
	done
	zpty -d shell
	all=${all##*$'\n'made: }
	print -r -- ${${all%%$'\r'*}%% }
}

bad=0
for typed wanted in $cases; do
	made=$(complete_line $typed)
	[[ $made = $wanted ]] && continue
	print -r -- "'$typed' becomes '$made', not '$wanted'"
	bad=1
done
exit $bad
