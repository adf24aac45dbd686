-- binary trees
module Tree where

import Data.List (sort)

data Tree a = Leaf | Node (Tree a) a (Tree a)

insert :: Ord a => a -> Tree a -> Tree a
insert x Leaf = Node Leaf x Leaf
insert x (Node left y right)
  | x < y = Node (insert x left) y right
  | otherwise = Node left y (insert x right)

{- how many
   there are -}
size :: Tree a -> Int
size Leaf = 0
size (Node left _ right) = size left + 1 * size right

main :: IO ()
main = do
  let tree = foldr insert Leaf [3, 0x1F]
  print (size tree)
  putStrLn ("done" ++ ['x'])
