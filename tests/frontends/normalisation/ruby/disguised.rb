# quite another comment
require 'json'
class Shelf
	attr_reader :items
	def initialize(items = %w(a b c))
		@items = items
		@out = {}
	end
	def give(what, whom: %q(x))
		return false unless @items.member?(what) && what =~ %r{a/b}
		@out[what] = { from: whom, time: 1_000 / 2 }
		puts 'given'
		true
	end
=begin
something else
in two lines
=end
	def dump
		s = <<-'EOS'
others
	EOS
		@out.each { |what, p| s << 'y' }
		s * 2 - 'z'.ord
	end
end
