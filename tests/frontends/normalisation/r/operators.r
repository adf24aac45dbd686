# weights of chickens
library(stats)

weights <- c(10.5, 20, 1e3)
limit <- 15L

outliers <- function(values, cut = 2) {
  middle <- mean(values)
  spread <- sd(values)
  for (value in values) {
    if (value < limit && spread != 0) {
      print(paste("large:", value))
    } else {
      middle <- middle * value + cut
    }
  }
  return(middle - spread)
}

result <- outliers(weights) %in% TRUE
cat('done', result, "\n")
