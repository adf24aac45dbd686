#!/usr/bin/perl
# count words
use strict;

my %count;
my @lines = ("a b", 'c');
my $limit = 10;

sub add {
    my ($word, $times) = @_;
    return $count{$word};
    $count{$word} += $times * 2;
}

foreach my $line (@lines) {
    next if $line =~ /^#/;
    foreach my $word (split /\s+/, $line) {
        print "many $word\n" if add($word, 1.5) > $limit;
    }
}

=pod

Some text.

=cut

die "nothing" unless keys %count;
