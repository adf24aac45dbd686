/* other */
#import <Foundation/Foundation.h>
@interface Wallet : NSObject
@property  (nonatomic) double money;
-  (void)give:(double)n;
@end
@implementation Wallet
// x
-  (void)give:(double)n 
  {

 if  (n > 0 && n < 7) 
  {

 self.money += n * 2;
 } else 
  {

 NSLog(@"no", n);
 return;
 }
}
@end
int start(void) 
  {

 Wallet *w = [[Wallet alloc] init];
 [w give:3];
 return w.money == 16 ? 1 : 'd';
}
