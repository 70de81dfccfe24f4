// SPDX-License-Identifier: GPL-2.0
// Tables that are right, or nearly: the program's own .sframe with something spoilt, and rows and rules.
#include <elf.h>
#include <link.h>
#include <string.h>

#include "attack.h"

#ifndef PT_GNU_SFRAME
#define PT_GNU_SFRAME 0x6474e554
#endif

static struct section own;

static int find_own(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_GNU_SFRAME) {
			own.bytes = (const void *)(uintptr_t)start;
			own.nr_bytes = p->p_memsz;
			own.address = start;
		} else if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
			own.text_start = start;
			own.text_end = start + p->p_memsz;
		}
	}
	return 1; /* the program is the first object */
}

const struct section *own_section(void)
{
	if (!own.bytes)
		dl_iterate_phdr(find_own, NULL);
	return &own;
}

static void spoil(struct dice *dice, uint8_t *bytes, size_t nr)
{
	static const uint8_t wild[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t reach = rarely(dice, 2) ? nr : 48; /* the header and its neighbours, or anywhere */
	uint32_t changes = 1 + pick(dice, 4);

	while (changes--) {
		size_t at = pick(dice, reach < nr ? reach : nr);

		bytes[at] = rarely(dice, 2) ? wild[pick(dice, sizeof(wild))] : bytes[at] ^ (1u << pick(dice, 8));
	}
}

size_t any_section(struct dice *dice, void *room, size_t nr)
{
	const struct section *section = own_section();

	if (section->nr_bytes < nr)
		nr = section->nr_bytes;
	if (!nr)
		return 0;
	memcpy(room, section->bytes, nr);
	if (rarely(dice, 2))
		spoil(dice, room, nr);
	return rarely(dice, 8) ? pick(dice, nr) : nr;
}

static struct uwind_rule any_rule(struct dice *dice)
{
	struct uwind_rule rule = {
		.kind = UWIND_RULE_FRAME, .cfa_reg = 7, .cfa_off = 16, .ra_place = UWIND_PLACE_CFA_MEM, .ra_off = -8
	};

	if (rarely(dice, 3))
		rule = (struct uwind_rule){ .kind = pick(dice, 6) };
	if (rarely(dice, 3)) {
		rule.fp_place = pick(dice, 7);
		rule.fp_reg = pick(dice, 34);
		rule.cfa_reg = pick(dice, 34);
		rule.cfa_off = (int32_t)roll(dice);
	}
	if (rarely(dice, 8))
		spoil(dice, (uint8_t *)&rule, sizeof(rule));
	return rule;
}

uint32_t any_rules(struct dice *dice, struct uwind_rule *rules, uint32_t max)
{
	uint32_t nr = 1 + pick(dice, max);

	rules[0] = (struct uwind_rule){ .kind = UWIND_RULE_OUTERMOST };
	for (uint32_t i = 1; i < nr; i++)
		rules[i] = any_rule(dice);
	return nr;
}

uint32_t any_rows(struct dice *dice, struct uwind_row *rows, uint32_t max, uint32_t nr_rules)
{
	uint32_t nr = 1 + pick(dice, max), start = 0;

	for (uint32_t i = 0; i < nr; i++) {
		start += 1 + pick(dice, rarely(dice, 64) ? 0x7fffffff : 64);
		rows[i] = (struct uwind_row){ start, pick(dice, nr_rules) };
	}
	if (rarely(dice, 8))
		spoil(dice, (uint8_t *)rows, nr * sizeof(*rows));
	return nr;
}
