/* The C++ side of a request. */
#ifndef MIRDC_CALLBACKS_REQUEST_CXX_H
#define MIRDC_CALLBACKS_REQUEST_CXX_H

#include "callbacks/request.h"

/* The type with the request's own in place of parameters; of kind PROVIDER_VOID or PROVIDER_FIXED. */
struct provider_type request_type(const struct request *r, struct provider_type t);
/* Fills in contract, symbol and cxx. */
void request_render(struct arena *a, struct request *r);

#endif
