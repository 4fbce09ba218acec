/* The program mirdc-read. */
#include "driver/cmd_read.h"

int main(int argc, char **argv) {
  return cmd_read_main(argc, argv);
}
