// args: --colour=never
//~ MD0191 unknown option `--colour=never`
