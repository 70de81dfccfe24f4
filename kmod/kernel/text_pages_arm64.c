// SPDX-License-Identifier: GPL-2.0
/*
 * What patches text maps its page elsewhere, and says by a physical address which. The kernel's image lies in one piece.
 * Modules' pages lie anywhere: they are noted as a module comes, before anything in it is patched. All other text
 * (programs of BPF, trampolines) is not known here: its caches are cleaned by its address, soon afterwards.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/pfn.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/xarray.h>

#include "kernel/text_pages.h"

#define UW_TEXT_PAGES_NOTED   65536 /* of all modules */
#define UW_TEXT_PAGES_MODULES 4096  /* that are there at the beginning */

static DEFINE_XARRAY(pages);      /* by number of the page: xa_mk_value() of that of its address. Read in any context */
static DEFINE_MUTEX(pages_mutex); /* Order: inside the chain of module notifiers */
static u32 nr_pages;              /* in pages. Protected by: pages_mutex */

static notrace u64 image_address(phys_addr_t physical)
{
	unsigned long address = __phys_to_kimg(physical), pfn = PHYS_PFN(physical);

	/* Nothing else is as reserved as the image, and has a page there. */
	if (!pfn_valid(pfn) || !PageReserved(pfn_to_page(pfn)) || address < KIMAGE_VADDR || address >= VMALLOC_END)
		return 0;
	return vmalloc_to_pfn((void *)address) == pfn ? address : 0;
}
NOKPROBE_SYMBOL(image_address);

notrace u64 uw_text_pages_address(phys_addr_t physical)
{
	void *page = xa_load(&pages, PHYS_PFN(physical));

	if (page)
		return (xa_to_value(page) << PAGE_SHIFT) + (physical & ~PAGE_MASK);
	return image_address(physical);
}
NOKPROBE_SYMBOL(uw_text_pages_address);

notrace phys_addr_t uw_text_pages_physical(unsigned long address)
{
	struct page *page = vmalloc_to_page((void *)address);

	return page ? page_to_phys(page) + (address & ~PAGE_MASK) : 0;
}
NOKPROBE_SYMBOL(uw_text_pages_physical);

/* A page that is not noted is one whose changes have no address until its caches are cleaned. */
static void note_page(unsigned long address)
{
	unsigned long pfn = PHYS_PFN(uw_text_pages_physical(address));

	lockdep_assert_held(&pages_mutex);
	if (!pfn || nr_pages == UW_TEXT_PAGES_NOTED || xa_load(&pages, pfn))
		return;
	if (!xa_is_err(xa_store(&pages, pfn, xa_mk_value(address >> PAGE_SHIFT), GFP_KERNEL)))
		nr_pages++;
}

static void forget_page(unsigned long address)
{
	lockdep_assert_held(&pages_mutex);
	if (xa_erase(&pages, PHYS_PFN(uw_text_pages_physical(address))))
		nr_pages--;
}

static void each_page(struct uw_text_range text, void (*act)(unsigned long address))
{
	unsigned long address;

	for (address = text.address; address < text.address + text.bytes; address += PAGE_SIZE)
		act(address);
}

static int module_changes(struct notifier_block *block, unsigned long state, void *data)
{
	mutex_lock(&pages_mutex);
	each_page(uw_module_text(data), state == MODULE_STATE_GOING ? forget_page : note_page);
	mutex_unlock(&pages_mutex);
	return NOTIFY_DONE;
}

/* Before whoever patches a module that comes. */
static struct notifier_block module_notifier = { .notifier_call = module_changes, .priority = INT_MAX };

/*
 * The texts of all modules that are there. The kernel's list of them is its own, but each is also in the folder of sysfs
 * that has ours. One that goes is not taken: its notifier has been called, or waits for pages_mutex until its pages are
 * noted, and has them forgotten. Returns how many.
 */
static u32 loaded_modules(struct uw_text_range *texts, u32 most)
{
	const struct kobject *own = &THIS_MODULE->mkobj.kobj;
	struct kobject *kobject;
	u32 nr = 0;

	lockdep_assert_held(&pages_mutex);
	spin_lock(&own->kset->list_lock);
	list_for_each_entry(kobject, &own->kset->list, entry) {
		const struct module *module = container_of(kobject, struct module_kobject, kobj)->mod;

		/* Built-in ones have a folder, but no module. */
		if (kobject->ktype != own->ktype || !module || READ_ONCE(module->state) == MODULE_STATE_GOING)
			continue;
		if (nr == most)
			break;
		texts[nr++] = uw_module_text(module);
	}
	spin_unlock(&own->kset->list_lock);
	return nr;
}

static int note_loaded(void)
{
	struct uw_text_range *texts = kvmalloc_array(UW_TEXT_PAGES_MODULES, sizeof(*texts), GFP_KERNEL);
	u32 i, nr;

	if (!texts)
		return -ENOMEM;
	mutex_lock(&pages_mutex);
	nr = loaded_modules(texts, UW_TEXT_PAGES_MODULES);
	for (i = 0; i < nr; i++)
		each_page(texts[i], note_page);
	mutex_unlock(&pages_mutex);
	kvfree(texts);
	return 0;
}

int uw_text_pages_start(void)
{
	int err = register_module_notifier(&module_notifier);

	if (err)
		return err;
	err = note_loaded();
	if (err)
		uw_text_pages_stop();
	return err;
}

void uw_text_pages_stop(void)
{
	unregister_module_notifier(&module_notifier);
	xa_destroy(&pages);
	nr_pages = 0;
}
