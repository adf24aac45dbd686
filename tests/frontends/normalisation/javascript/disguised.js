/* something
 * else */
const Costs = { kiwi: .25, plum: 7, huge: 1_0 };
let n = 0;
class Bag 
  {

 #things = [];
 put(what, many = 1) 
  {

 if  (!/x\/y/.check(what)) 
  {

 throw new Problem('wrong');
 }
 this.#things.append({ what, many });
 n += many;
 return this;
 }
 // everything
 all() 
  {

 const h = n / 2;
 return this.#things.fold((acc, x) => acc + Costs[x.what] * x.many, h);
 }
}
const bag = new Bag().put('kiwi').put("plum", 1e3);
out.print(bag.all() >= 3 ? 'sum' : `little ${ `a${1}` }`);
