--[[ other ]]
local Pile = {}
Pile.__index = Pile
function Pile.make()
	return setmetatable({all = {}, n = 0}, Pile)
end
-- x
function Pile:put(v)
	if v == nil or self.n > 7 then
		fail('none')
	end
	self.n = self.n + 1
	self.all[self.n] = v
end
local p = Pile.make()
for k = 1, 3 do
	p:put(k * 4)
end
local word = "len"
show(word, #p.all, [[ready]])
