// SPDX-License-Identifier: GPL-2.0
// A file that is open and may get a table.
#include "app/opened_module.h"

namespace uwind {

OpenedModule with_object(OpenedModule opened, Objects& objects, Modules& modules)
{
	auto object = objects.open(opened.fd);
	modules.set_object(opened.id, object ? (*object)->facts() : ObjectFacts{}, opened.fd);
	if (object)
		opened.object = std::shared_ptr<const Object>(std::move(*object));
	else
		opened.object = object.error();
	return opened;
}

} // namespace uwind
