/* other */
class Item 
  {

 String title
 int many = 1
 def worth(p) 
  {

 if  (many > 10 && title != null) 
  {

 return many * p - 7
 }
 many * p
 }
}
// x
def items = [new Item(title: "nuts", many: 3), new Item(title: 'rice')]
def acc = 0
for  (x in items) 
  {

 acc += x.worth(4)
}
show "sum ${acc}"
items.every { show it.title }
