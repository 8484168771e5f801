# What a name in cmd/NAME/deps means to the linker. A program links nothing that it does not name.

# Statically, because a client waits for the start of mcp-front, and a chain starts three programs for
# each build: the loader takes 0.4 ms for these libraries, half of what an empty program takes at all.
static = -Wl,-Bstatic $(1) -Wl,-Bdynamic

LINK_protobuf-c = $(PBLIB) $(call static,-lprotobuf-c)
LINK_json-c     = $(call static,-ljson-c)
LINK_uv         = $(call static,-luv_a) -ldl -pthread
LINK_sqlite3    = $(call static,-lsqlite3) -lm
LINK_pcre2      = $(call static,-lpcre2-8)
LINK_expat      = $(call static,-lexpat)
LINK_threads    = -pthread

link = $(foreach name,$(1),$(or $(LINK_$(name)),$(error unknown library '$(name)' in a deps file)))

# libgrpc_unsecure.a (no TLS: bes-recv speaks plaintext on loopback) and what it needs, statically: a
# program that loads libgrpc.so starts in 10-19 ms. Only bes-recv and the benchmark's client name it.
ABSL := bad_optional_access bad_variant_access base city cord cord_internal cordz_functions \
        cordz_handle cordz_info debugging_internal demangle_internal exponential_biased \
        graphcycles_internal hash int128 low_level_hash malloc_internal \
        random_internal_platform random_internal_pool_urbg random_internal_randen \
        random_internal_randen_hwaes random_internal_randen_hwaes_impl \
        random_internal_randen_slow random_internal_seed_material random_seed_gen_exception \
        raw_hash_set raw_logging_internal spinlock_wait stacktrace status statusor \
        str_format_internal strerror strings strings_internal symbolize synchronization \
        throw_delegate time time_zone
LINK_grpc = -Wl,--gc-sections -Wl,-Bstatic -Wl,--start-group -lgrpc_unsecure -lgpr \
            -laddress_sorting -lupb -lcares -lz $(ABSL:%=-labsl_%) -Wl,--end-group -lstdc++ \
            -Wl,-Bdynamic -lm -pthread
