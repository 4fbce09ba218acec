/* `mirdc read` and the program mirdc-read. */
#ifndef MIRDC_DRIVER_CMD_READ_H
#define MIRDC_DRIVER_CMD_READ_H

/* argv[0] is the name shown in messages. Returns the exit status: 0 done, 1 diagnosed, 2 usage;
 * `diff` adds 3 different, 4 could not be checked. */
int cmd_read_main(int argc, char **argv);

#endif
