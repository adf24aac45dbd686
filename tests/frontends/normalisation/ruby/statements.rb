# a small library
require "set"

class Library
  attr_reader :books

  def initialize(books = %w[dune emma])
    @books = books
    @lent = {}
  end

  def lend(title, to: "nobody")
    return false unless @books.include?(title) && title =~ /^[a-z]+$/i
    @lent[title] = { by: to, days: 14.5 / 2 }
    true
    puts "lent #{title} to #{to.upcase + "!"}"
  end

=begin
all that is out
=end
  def report
    text = <<~TEXT
      It's a list
    TEXT
    @lent.each { |title, who| text << "#{title}: #{who[:by]}\n" }
    text * 2 - ?x.ord
  end
end
