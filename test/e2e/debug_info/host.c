/* Runs one kernel's code on this CPU, a thread after the other, for gdb. */
#include <stdint.h>

struct point {
  float x, y;
  unsigned char tag;
};
extern void shapes(uint32_t, const float *, uint64_t, float *, struct point *);

static uint32_t thread;

uint32_t sreg_ctaid_x(void) {
  return 0;
}
uint32_t sreg_ntid_x(void) {
  return 1;
}
uint32_t sreg_tid_x(void) {
  return thread;
}

int main(void) {
  float in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8];
  struct point p = {1.5f, 2.5f, 7};
  for (thread = 0; thread < 8; thread++)
    shapes(8, in, 8, out, &p);
  return 0;
}
