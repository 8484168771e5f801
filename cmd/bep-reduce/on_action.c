/* What the events say of failed actions, and what those printed. */
#include <string.h>

#include "cmd/bep-reduce/handlers.h"
#include "common/frame/wire.h"
#include "proto/build_event_stream.pb-c.h"

#define FIELD_SUCCESS 1

/* Only `success` decides: exit codes are told of actions that succeeded, too. */
bool action_failed(struct bytes payload)
{
    struct wire_reader reader;
    struct wire_field field;
    bool success = false;

    wire_init(&reader, payload.at, payload.len);
    while (wire_next(&reader, &field))
        if (field.number == FIELD_SUCCESS && field.type == WIRE_VARINT)
            success = field.value != 0;
    return !success;
}

static void keep_bytes(struct state *s, struct bytes bytes, struct output *output)
{
    size_t room = state_output_room(s);

    output->len = bytes.len < room ? bytes.len : room;
    output->text = room > 0 ? state_output(s, bytes.at, &output->len) : NULL;
    if (output->text) {
        s->texts += output->len;
        return;
    }
    output->len = 0;
    output->missing = "no room";
    s->left_out.texts++;
}

static const char *find_file(const struct files *files, const BuildEventStream__File *file,
                             const struct test_place *test, struct buf *path)
{
    const char *missing = files_path(files, view(file->uri), path);
    struct buf name = BUF_INIT;

    if (!missing || !test || strcmp(missing, "remote") != 0)
        return missing;
    buf_add(&name, file->name.data, file->name.len);
    missing = strchr(name.data, '.') ? files_test_output(files, test, name.data, path) : missing;
    buf_release(&name);
    return missing;
}

static void keep_file(struct reducer *r, const BuildEventStream__File *file,
                      const struct test_place *test, struct output *output)
{
    struct files_expected expected = {file->length, test ? test->written_ms : 0};
    struct buf path = BUF_INIT, text = BUF_INIT;

    output->uri = state_text(&r->state, view(file->uri));
    output->missing = find_file(&r->files, file, test, &path);
    if (!output->missing)
        output->missing = files_changed(&r->files, path.data, &expected);
    if (!output->missing)
        output->missing = files_read(path.data, state_output_room(&r->state), &text);
    if (!output->missing)
        keep_bytes(&r->state, (struct bytes){(const uint8_t *)text.data, text.len}, output);
    buf_release(&path);
    buf_release(&text);
}

void keep_output(struct reducer *r, const void *message, const struct test_place *test,
                 struct output *output)
{
    const BuildEventStream__File *file = message;

    if (!file)
        return;
    if (file->file_case == BUILD_EVENT_STREAM__FILE__FILE_URI)
        keep_file(r, file, test, output);
    else if (file->file_case == BUILD_EVENT_STREAM__FILE__FILE_CONTENTS)
        keep_bytes(&r->state, view(file->contents), output);
}

void on_action(struct reducer *r, const struct event *event, const void *message)
{
    const BuildEventStream__ActionExecuted *executed = message;
    struct bytes label = event->id.label.len ? event->id.label : view(executed->label);
    struct state *s = &r->state;
    struct action *action;

    s->counts.actions_failed++;
    action = state_action(s);
    if (!action)
        return;
    action->label = state_name(s, label);
    action->configuration = state_text(s, event->id.configuration);
    action->mnemonic = state_text(s, view(executed->type));
    action->primary_output = state_name(s, event->id.name);
    action->exit_code = executed->exit_code;
    if (executed->failure_detail)
        action->failure = state_text(s, view(executed->failure_detail->message));
    keep_output(r, executed->stderr_, NULL, &action->errors);
    keep_output(r, executed->stdout_, NULL, &action->words);
}
