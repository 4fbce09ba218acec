/* One dump for each rule of the reader and verifier: the valid dump with one replacement. */
static const struct {
  const char *after, *find, *with;
  enum diag_code code;
  const char *message;
} cases[] = {
    /* head */
    {NULL, "'schema':'pmir'", "'schema':'smir'", MD0202, "the schema is `smir`"},
    {NULL, "'version':1", "'version':2", MD0202, "version 2 of prepared MIR"},
    {NULL, "'requires':[]", "'requires':['warp9']", MD0203, "`warp9`"},
};
