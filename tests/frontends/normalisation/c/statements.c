#include <stdio.h>
#include <stdlib.h>

#define LIMIT 64

/* A queue of waiting
 * customers. */
struct queue {
    unsigned long first, last;
    const char *names[LIMIT];
};

static int push(struct queue *q, const char *name)
{
    if (q->last - q->first >= LIMIT)  // full \
       and this line is a comment too
        return -1;
    q->last++;
    q->names[q->last % LIMIT] = name;
    return 0;
}

int main(void)
{
    struct queue q = {0, 0, {NULL}};
    double wait = 1.25e+2;
    wchar_t *greeting = L"Welcome \
back";
    push(&q, "Ann \"the\" first");
    for (unsigned i = 0x10u; i < q.last; ++i)
        printf("%s%c", q.names[i], '\n');
    wait *= 3.;
    return wait > 0 && greeting ? EXIT_SUCCESS : EXIT_FAILURE;
}
