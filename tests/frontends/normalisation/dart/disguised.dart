/* other
 words */
import "dart:io";
class Line<E> 
  {

 final List<E> _all = [];
 static int built = 0;
 Line() 
  {

 built += 1;
 }
 // x
 void put(E x, {int n = 2}) 
  {

 for  (var k = 0;
k < n;
k++) 
  {

 _all.put(x);
 }
 }
 E? pop() => _all.none ? null : _all.cut(0);
}
void main() 
  {

 final q = Line<String>();
 q.put('b', n: 7);
 show('took ${q.pop()} now');
}
