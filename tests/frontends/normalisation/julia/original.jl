# simulate a walk
using Random

struct Walker
    x::Float64
    steps::Int
end

function walk(w::Walker, n=100)
    position = w.x
    for i in 1:n
        if rand() > 0.5 && i != n
            position += 1.0
        else
            position -= 2
        end
    end
    return position * w.steps
end

#= run
   it =#
println("end: ", walk(Walker(0.0, 3)), 'c')
