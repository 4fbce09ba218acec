/* One dump for each rule of native calls and closures: the valid dump of test_pmir_natives.c with one
 * replacement. */
#ifndef MIRDC_TEST_PMIR_NATIVE_CASES_H
#define MIRDC_TEST_PMIR_NATIVE_CASES_H

#include "base/diag.h"

static const struct {
  const char *find, *with;
  enum diag_code code;
  const char *message;
} native_cases[] = {
    {"'types':[['T',0]]", "'types':[['T']]", MD0201, "expected 2 elements, found 1"},
    {"'types':[['T',0]]", "'types':[['T',9]]", MD0204, "there is no type 9"},
    {"'types':[['T',0]]", "'types':[['T',6]]", MD0253, "type parameter 0 has no name or no size"},
    {"'types':[['T',0]]", "'types':[['T T',0]]", MD0253, "type parameter 0"},
    {"['BLOCK',0,'0x100']", "['BLOCK',0,'0x100000000']", MD0253, "constant 0 has no name"},
    {"['BLOCK',0,'0x100']", "['BLOCK',3,'0x100']", MD0253, "constant 0 has no name"},
    {"'provider':'cub'", "'provider':'../cub'", MD0253, "are names of letters"},
    {"'entry':'block_reduce'", "'entry':''", MD0253, "are names of letters"},
    {"'refs':1", "'refs':2", MD0253, "is not 2 references"},
    {"'refs':1", "'refs':0", MD0253, "has the base"},
    {"'base':1", "'base':0", MD0253, "has the base"},
    {"'thunk':1", "'thunk':2", MD0253, "no C function"},
    {"'thunk':1", "'thunk':7", MD0204, "there is no fn 7"},
    {"['callback',0]", "['callback',1]", MD0204, "there is no callback 1"},
    {"['callback',0]", "['back',0]", MD0201, "expected \"callback\""},
    {"'args':[0,['callback',0]]", "'args':[6,['callback',0]]", MD0253, "argument 0 has no size"},
    {"'args':[0,['callback',0]]", "'args':[0]", MD0235, "takes 1 arguments and is given 2"},
    {"'args':[0,['callback',0]]", "'args':[3,['callback',0]]", MD0236, "expected `()`"},
    {"'args':[0,['callback',0]]", "'args':[['callback',0],['callback',0]]", MD0236,
     "expected `*&{c}`"},
    {"'ret':0,'span':0}],\n'closures'", "'ret':6,'span':0}],\n'closures'", MD0253,
     "the result has no size"},
    {"'ret':0,'span':0}],\n'closures'", "'ret':3,'span':0}],\n'closures'", MD0236,
     "the destination has the type"},
    {"'captures':[['k',0]]", "'captures':[]", MD0254, "is not a closure with 0 captures"},
    {"'captures':[['k',0]]", "'captures':[['k']]", MD0201, "expected 2 elements"},
    {"{'ty':1,'fn':2", "{'ty':0,'fn':2", MD0254, "is not a closure with 1 captures"},
    {"'fn':2,'kind':'fn'", "'fn':1,'kind':'fn'", MD0254, "is not the body of a closure"},
    {"'kind':'fn','move'", "'kind':'fun','move'", MD0201, "unknown value `fun`"},
    {"'closures':[", "'closures':[{'ty':1,'kind':'fn','move':true,'captures':[['k',null]]},", MD0254,
     "stands here twice"},
    {"['native',0]", "['native',1]", MD0204, "there is no native 1"},
    {"'natives':[{", "'natives':{'a':[{", MD0200, ""},
    {"'natives':[{'provider'", "'natives':[{'extra':1,'provider'", MD0201, "unknown member `extra`"},
};

#endif
