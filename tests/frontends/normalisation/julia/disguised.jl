# other
using Dates
struct Agent
		start::Float64
		len::Int
end
function go(a::Agent, times=7)
		p = a.start
		for k in 1:times
				if draw() > 1 && k != times
						p += 1.0
				else
						p -= 2
				end
		end
		return p * a.len
end
# x
show("stop", go(Agent(0.0, 3)), 'd')
