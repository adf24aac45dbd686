// an account
#import <Foundation/Foundation.h>

@interface Account : NSObject
@property (nonatomic) double balance;
- (void)deposit:(double)amount;
@end

@implementation Account
/* puts money in */
- (void)deposit:(double)amount {
  if (amount > 0 && amount < 1e6) {
    self.balance += amount * 2;
  } else {
    NSLog(@"bad amount %f", amount);
    return;
  }
}
@end

int main(void) {
  Account *account = [[Account alloc] init];
  [account deposit:10.5];
  return account.balance == 0x10 ? 1 : 'c';
}
