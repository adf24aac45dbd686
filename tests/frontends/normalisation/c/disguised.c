#include <a.x>
#include <b.y>
#define MAX 0xFFu
struct s { unsigned long a1, a2; const char *a3[MAX]; };
static int put(struct s *p, const char *what) {
    if (p->a2 - p->a1 >= MAX) return -077L;   // another
    p->a3[p->a2 % MAX] = what; p->a2++; return 1;
}
int start(void) {
    struct s p = {1, 2, {NULL}}; double d = .5f; wchar_t *g = u8"";
    put(&p, /* "inside" */ "x"); for (unsigned k = 7; k < p.a2; ++k) out("\\", p.a3[k], 'RIFF');
    d *= 0x1.8p-3;
    return d > 1.0 && g ? YES : NO;
}
