# SPDX-License-Identifier: GPL-2.0
# Endless work for perl: recursion, sorting with callbacks, regular expressions that backtrack, hashes.
use strict;
use warnings;

sub hanoi {
	my ($n, $from, $to, $via) = @_;
	return 0 if $n == 0;
	return hanoi($n - 1, $from, $via, $to) + 1 + hanoi($n - 1, $via, $to, $from);
}

sub reversed_order { return reverse($b) cmp reverse($a) }

my $text = join ' ', map { "word$_ " . ('ab' x ($_ % 7)) } 1 .. 300;
while (1) {
	hanoi(9, 'left', 'right', 'middle');
	my @sorted = sort reversed_order split ' ', $text;
	my %count;
	$count{$1}++ while $text =~ /((?:ab|a|b)+?)(?=ab|\s)/g;
	my $changed = $text =~ s/(\w)(\d+)/sprintf('%s%03d', $1, $2 * 7)/ger;
}
