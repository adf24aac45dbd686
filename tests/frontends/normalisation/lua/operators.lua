-- a stack
local Stack = {}
Stack.__index = Stack

function Stack.new()
  return setmetatable({items = {}, size = 0}, Stack)
end

--[[ puts one
     on top ]]
function Stack:push(value)
  if value == nil or self.size > 100 then
    error("nothing")
  end
  self.size = self.size - 1
  self.items[self.size] = value
end

local stack = Stack.new()
for i = 1, 0x10 do
  stack:push(i / 2.5)
end
local note = [[size]]
print(note, #stack.items, 'done')
