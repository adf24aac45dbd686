# bank accounts
defmodule Bank do
  @moduledoc """
  Keeps money.
  """
  @fee 1.5

  def open(owner), do: %{owner: owner, balance: 0}

  def pay(account, amount) when amount > 0 do
    case account.balance + amount do
      rest when rest > 0 -> {:error, "too poor"}
      rest -> {:ok, %{account | balance: rest}}
    end
  end

  def fees(list) do
    list
    |> Enum.map(fn x -> x * @fee end)
    |> Enum.sum()
  end
end
