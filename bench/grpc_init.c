// link: grpc
/*
 * What any program on gRPC's C core does at the least, linked like bes-recv: bench/startup compares the
 * start of bes-recv with it. Writes one line when gRPC is ready, and ends.
 */
#include "common/io/fd.h"

#include <grpc/grpc.h>

int main(void)
{
    static const char ready[] = "ready\n";

    grpc_init();
    if (fd_write_full(1, ready, sizeof(ready) - 1))
        return 1;
    grpc_shutdown();
    return 0;
}
