/* The program mirdc-read. */
#include "base/fs.h"
#include "driver/cmd_read.h"

int main(int argc, char **argv) {
  fs_prepare_process();
  return cmd_read_main(argc, argv);
}
