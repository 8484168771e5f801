/*
 * Frames of the JVM's stack traces: "at com.acme.cart.Cart.total(Cart.java:12)". They name no folder; it follows from the
 * class's package and the target's.
 */
#ifndef BEP_REDUCE_JVM_H
#define BEP_REDUCE_JVM_H

#include "cmd/bep-reduce/cause.h"

/*
 * Offers a frame to the cause: `name` is class and method, `path` the bare file name. Where the class's package fits the
 * target's folder, the first such frame counts. Else the file is taken to lie in that folder: of such frames those
 * count that belong to the outermost code, which is the test or the program itself, and of these the first.
 */
void jvm_offer_frame(struct cause *, const struct evidence *, const struct captures *);

#endif
