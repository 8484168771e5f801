# What a name in cmd/NAME/deps means to the linker. A program links nothing that it does not name.

LINK_protobuf-c = $(PBLIB) -lprotobuf-c
LINK_json-c     = -ljson-c
LINK_uv         = -luv
LINK_sqlite3    = -lsqlite3
LINK_pcre2      = -lpcre2-8
LINK_expat      = -lexpat
LINK_threads    = -pthread

link = $(foreach name,$(1),$(or $(LINK_$(name)),$(error unknown library '$(name)' in a deps file)))
