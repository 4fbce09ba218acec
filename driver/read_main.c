/* The program mirdc-read. */
#include "base/fs.h"
#include "driver/cmd_read.h"

int main(int argc, char **argv) {
  fs_survive_size_limits();
  return cmd_read_main(argc, argv);
}
