# other
defmodule Shop do
	@moduledoc """
	Other text
	here.
	"""
	@tax 200
	def start(person), do: %{person: person, money: 0}
	def give(acc, n) when n > 0 do
		case acc.money - n do
			left when left < 0 -> {:bad, "no"}
			left -> {:fine, %{acc | money: left}}
		end
	end
	def taxes(xs) do
		xs
		|> Enum.map(fn y -> y * @tax end)
		|> Enum.sum()
	end
end
