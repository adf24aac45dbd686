#!/usr/bin/perl
# other
use strict;
my %seen;
my @rows = ("x", 'y z');
my $max = 0x20;
sub put {
		my ($w, $n) = @_;
		$seen{$w} += $n * 2;
		return $seen{$w};
}
foreach my $row (@rows) {
		next if $row =~ /^;/;
		foreach my $w (split /,/, $row) {
				print "lots" if put($w, 3) > $max;
		}
}
=pod
Other.
=cut
die 'none' unless keys %seen;
