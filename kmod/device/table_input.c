// SPDX-License-Identifier: GPL-2.0
/*
 * Copy once, validate the copy, pack it: nothing that user space changes
 * afterwards is seen.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "access/pidfd.h"
#include "access/quota.h"
#include "core/table.h"
#include "device/refusal.h"
#include "device/table_input.h"
#include "stall.h"
#include "store/table_store.h"
#include "uwind.h"
#include "walk/regs.h"

static_assert(sizeof(struct uwind_rule) == sizeof(struct uw_rule));
static_assert(offsetof(struct uwind_rule, fp_off) == offsetof(struct uw_rule, fp_off));
static_assert(sizeof(struct uwind_row) == sizeof(struct uw_draft_row));
static_assert(sizeof(struct uwind_segment) == sizeof(struct uw_segment));
static_assert((int)UWIND_RULE_THREAD_START == (int)UW_RULE_THREAD_START);
static_assert((int)UWIND_RULE_UNKNOWN == (int)UW_RULE_UNKNOWN);
static_assert((int)UWIND_RULE_CLONE == (int)UW_RULE_CLONE);
static_assert((int)UWIND_PLACE_LOST == (int)UW_PLACE_LOST);
static_assert((int)UWIND_CFA_MEM == (int)UW_CFA_MEM);
static_assert(UWIND_MAX_ROWS == UW_MAX_ROWS && UWIND_MAX_RULES == UW_MAX_RULES);

#define UW_GFP_INPUT   (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)
#define UW_PIECE_BYTES SZ_1M

/* What making a table takes meanwhile: charged before it is allocated. */
struct uw_input {
	struct uw_quota *quota; /* NULL: made with privilege */
	u64 bytes;              /* charged so far */
};

static int input_charge(struct uw_input *input, u64 bytes)
{
	int err = uw_quota_charge(input->quota, UW_QUOTA_INPUT, bytes);

	if (!err)
		input->bytes += bytes;
	return err;
}

static void input_end(struct uw_input *input)
{
	uw_quota_uncharge(input->quota, UW_QUOTA_INPUT, input->bytes);
}

static void draft_free(struct uw_draft *draft)
{
	kvfree(draft->rows);
	kvfree(draft->rules);
	kvfree(draft->hash);
}

static int draft_alloc(struct uw_draft *draft, struct uw_input *input, u64 max_rows, u32 max_rules)
{
	u32 hash_size = roundup_pow_of_two(2 * max_rules + 2);
	int err;

	memset(draft, 0, sizeof(*draft));
	err = input_charge(input, max_rows * sizeof(*draft->rows) + max_rules * sizeof(*draft->rules) +
					  hash_size * sizeof(*draft->hash));
	if (err)
		return err;
	draft->max_rows = max_rows;
	draft->max_rules = max_rules;
	draft->hash_mask = hash_size - 1;
	draft->rows = kvmalloc_array(max_rows, sizeof(*draft->rows), UW_GFP_INPUT);
	draft->rules = kvmalloc_array(max_rules, sizeof(*draft->rules), UW_GFP_INPUT);
	draft->hash = kvcalloc(hash_size, sizeof(*draft->hash), UW_GFP_INPUT);
	if (draft->rows && draft->rules && draft->hash)
		return 0;
	draft_free(draft);
	return -ENOMEM;
}

/* In pieces: to copy what fills memory takes seconds, and a task that is killed meanwhile stops. */
static int user_copy(void *to, u64 from, u64 bytes)
{
	u64 done, piece;

	for (done = 0; done < bytes; done += piece) {
		piece = min_t(u64, bytes - done, UW_PIECE_BYTES);
		if (copy_from_user(to + done, u64_to_user_ptr(from + done), piece))
			return fatal_signal_pending(current) ? -EINTR : -EFAULT;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

static int section_copy(const struct uw_section *section, u8 *data)
{
	uw_stall(UW_STALL_SECTION_READ);
	if (section->process)
		return uw_mm_read(section->process->mm, section->data, data, section->bytes);
	return user_copy(data, section->data, section->bytes);
}

static struct uw_stored_table *section_lower(const struct uw_maker *maker, struct uw_input *input, struct uw_sframe *sf,
					     struct uw_draft_row *order)
{
	static const u8 methods[] = {
		[1] = UWIND_METHOD_SFRAME_V1,
		[2] = UWIND_METHOD_SFRAME_V2,
		[3] = UWIND_METHOD_SFRAME_V3,
	};
	struct uw_stored_table *stored;
	struct uw_draft draft;
	int err;

	err = draft_alloc(&draft, input, sf->max_rows, sf->max_rules);
	if (err)
		return ERR_PTR(err);
	err = uw_sframe_lower(sf, &draft, order);
	stored = err ? ERR_PTR(err) : uw_table_store_add(&draft, methods[sf->version], UW_ARCH, maker);
	draft_free(&draft);
	return stored;
}

static struct uw_stored_table *section_parse(const struct uw_section *section, const u8 *data,
					     const struct uw_maker *maker, struct uw_input *input,
					     struct uw_reject *reject)
{
	struct uw_sframe_input in = {
		.data = data,
		.bytes = section->bytes,
		.address = section->address,
		.segments = section->segments,
		.nr_segments = section->nr_segments,
		.arch = UW_ARCH,
	};
	struct uw_stored_table *stored;
	struct uw_draft_row *order;
	struct uw_sframe sf;
	int err = uw_sframe_open(&sf, &in);

	*reject = sf.reject;
	if (!err)
		err = input_charge(input, sf.nr_fdes * (u64)sizeof(*order));
	if (err)
		return ERR_PTR(err);
	order = kvmalloc_array(max(sf.nr_fdes, 1u), sizeof(*order), UW_GFP_INPUT);
	if (!order)
		return ERR_PTR(-ENOMEM);
	stored = section_lower(maker, input, &sf, order);
	*reject = sf.reject;
	kvfree(order);
	return stored;
}

static struct uw_stored_table *section_take(const struct uw_section *section, const struct uw_maker *maker,
					    struct uw_input *input, struct uw_reject *reject)
{
	struct uw_stored_table *stored;
	u8 *data;
	int err = input_charge(input, section->bytes);

	if (err)
		return ERR_PTR(err);
	data = kvmalloc(section->bytes, UW_GFP_INPUT);
	if (!data)
		return ERR_PTR(-ENOMEM);
	err = section_copy(section, data);
	stored = err ? ERR_PTR(err) : section_parse(section, data, maker, input, reject);
	kvfree(data);
	return stored;
}

struct uw_stored_table *uw_table_from_section(const struct uw_section *section, const struct uw_maker *maker,
					      struct uw_reject *reject)
{
	struct uw_input input = { .quota = maker->quota };
	struct uw_stored_table *stored;

	might_sleep();
	if (!section->bytes || section->bytes > UWIND_MAX_SECTION_BYTES)
		return ERR_PTR(-EINVAL);
	stored = section_take(section, maker, &input, reject);
	input_end(&input);
	if (IS_ERR(stored) && reject->why)
		uw_refusal_report(section->process, section->data, reject);
	return stored;
}

static void *array_copy(struct uw_input *input, u64 address, u32 nr, size_t size)
{
	int err = input_charge(input, nr * (u64)size);
	void *copy;

	if (err)
		return ERR_PTR(err);
	copy = kvmalloc_array(nr, size, UW_GFP_INPUT);
	if (!copy)
		return ERR_PTR(-ENOMEM);
	err = user_copy(copy, address, nr * size);
	if (!err)
		return copy;
	kvfree(copy);
	return ERR_PTR(err);
}

/* SFrame's too: user space may complete a section with rows from elsewhere. */
static bool method_is_for_rows(u32 method)
{
	switch (method) {
	case UWIND_METHOD_SFRAME_V1:
	case UWIND_METHOD_SFRAME_V2:
	case UWIND_METHOD_SFRAME_V3:
	case UWIND_METHOD_EH_FRAME:
	case UWIND_METHOD_DEBUG_FRAME:
	case UWIND_METHOD_EHABI:
	case UWIND_METHOD_SYNTH:
		return true;
	}
	return false;
}

static struct uw_stored_table *rows_take(const struct uwind_table_create *arg, enum uw_arch arch,
					 const struct uw_maker *maker, struct uw_input *input, struct uw_reject *reject)
{
	struct uw_draft draft = {
		.nr_rows = arg->data_bytes / sizeof(struct uwind_row),
		.nr_rules = arg->nr_rules,
	};
	struct uw_stored_table *stored;
	int err;

	draft.rows = array_copy(input, arg->data, draft.nr_rows, sizeof(*draft.rows));
	if (IS_ERR(draft.rows))
		return ERR_CAST(draft.rows);
	draft.rules = array_copy(input, arg->rules, draft.nr_rules, sizeof(*draft.rules));
	if (IS_ERR(draft.rules)) {
		kvfree(draft.rows);
		return ERR_CAST(draft.rules);
	}
	err = uw_draft_check(&draft, arch, reject);
	stored = err ? ERR_PTR(err == -EINVAL ? -EBADMSG : err) : uw_table_store_add(&draft, arg->method, arch, maker);
	draft_free(&draft);
	return stored;
}

struct uw_stored_table *uw_table_from_rows(const struct uwind_table_create *arg, const struct uw_maker *maker,
					   struct uw_reject *reject)
{
	struct uw_input input = { .quota = maker->quota };
	enum uw_arch arch = arg->arch ?: UW_ARCH;
	struct uw_stored_table *stored;

	might_sleep();
	if (!arg->data_bytes || arg->data_bytes > UWIND_MAX_ROWS * (u64)sizeof(struct uwind_row) ||
	    arg->data_bytes % sizeof(struct uwind_row) || !arg->nr_rules || arg->nr_rules > UWIND_MAX_RULES ||
	    !method_is_for_rows(arg->method) || (arch != UW_ARCH && arch != UW_COMPAT_ARCH))
		return ERR_PTR(-EINVAL);
	stored = rows_take(arg, arch, maker, &input, reject);
	input_end(&input);
	return stored;
}
