// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel calls before modules are initialised, as they become usable and before they are freed, and waits for the
 * answer: so nothing but a record is made.
 */
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>

#include "kernel/text_module.h"
#include "kernel/text_watchers.h"

static void module_emit(u16 type, const struct module *module, struct uw_text_range text)
{
	struct uw_text_event event;

	uw_text_event_begin(&event, type);
	event.record.address = text.address;
	event.record.bytes = text.bytes;
	event.data[0] = module->name;
	event.data_bytes[0] = strlen(module->name) + 1;
	uw_text_emit(UWIND_WATCH_MODULES, &event);
}

static void coming_emit(const struct module *module)
{
	const struct uw_text_range init = uw_module_init_text(module);

	module_emit(UWIND_TEXT_MODULE_COMING, module, uw_module_text(module));
	if (init.bytes)
		module_emit(UWIND_TEXT_MODULE_COMING, module, init);
}

/* It may be gone before somebody has read that it came. */
static void content_offer(struct uw_text_range text)
{
	struct uw_text_event event;
	u64 at;

	for (at = 0; at < text.bytes; at += UWIND_MAX_TEXT_CONTENT) {
		uw_text_event_begin(&event, UWIND_TEXT_MODULE_CONTENT);
		event.record.address = text.address + at;
		event.record.bytes = min_t(u64, text.bytes - at, UWIND_MAX_TEXT_CONTENT);
		event.data[0] = (const void *)(uintptr_t)event.record.address;
		event.data_bytes[0] = event.record.bytes;
		uw_text_offer(UWIND_WATCH_CONTENT, &event);
	}
}

static void live_emit(const struct module *module)
{
	const struct uw_text_range text = uw_module_text(module);

	content_offer(text);
	module_emit(UWIND_TEXT_MODULE_LIVE, module, text);
}

static int module_changes(struct notifier_block *block, unsigned long state, void *data)
{
	if (state == MODULE_STATE_COMING)
		coming_emit(data);
	else if (state == MODULE_STATE_LIVE)
		live_emit(data);
	else if (state == MODULE_STATE_GOING)
		module_emit(UWIND_TEXT_MODULE_GOING, data, uw_module_text(data));
	return NOTIFY_DONE;
}

static struct notifier_block module_notifier = { .notifier_call = module_changes };

int uw_text_module_start(void)
{
	return register_module_notifier(&module_notifier);
}

void uw_text_module_stop(void)
{
	unregister_module_notifier(&module_notifier);
}
