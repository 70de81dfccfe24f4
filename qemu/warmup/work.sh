# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Seven interpreters, one after the other, each with a program that computes for a few seconds.
# shellcheck disable=SC2016  # the dollars are theirs
ruby -e 'def f(n) n < 2 ? n : f(n - 1) + f(n - 2) end; f(26); 20000.times { |i| "a#{i}b".gsub(/[a-z]/) { |c| c.upcase }.hash }'
php -r 'function f($n) { return $n < 2 ? $n : f($n - 1) + f($n - 2); } f(26); for ($i = 0; $i < 20000; $i++) md5(json_encode(range(0, $i % 50)));'
jq -n '[range(30000)] | map({a: ., b: (. * 2 | tostring)}) | group_by(.a % 7) | map(length) | add' >/dev/null
lua5.4 -e 'function f(n) if n < 2 then return n end return f(n - 1) + f(n - 2) end f(28) for i = 1, 4000 do string.rep("x", i % 99):gsub("x", "yz") end'
echo 'proc f n { if {$n < 2} { return $n }; expr {[f [expr {$n - 1}]] + [f [expr {$n - 2}]]} }; f 22' | tclsh
gawk 'BEGIN { for (i = 0; i < 400000; i++) n[i % 999] = n[i % 999] sprintf("%d", i % 10); print length(n) }' >/dev/null
sqlite3 :memory: 'create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 from n where i < 80000)
	insert into t select i, hex(i) from n; create index x on t(b); select count(*) from t u join t v on u.b = v.b;' >/dev/null
