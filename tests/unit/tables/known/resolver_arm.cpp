// SPDX-License-Identifier: GPL-2.0
// The resolver as glibc writes it, assembled by another hand.
#include "tables/known/resolver_arm.h"
#include "unit/tables/assembled.h"

namespace {

std::string resolver_stretches(const std::string& assembler)
{
	return assembled::stretches_of("arm-linux-gnueabihf",
				       ".syntax unified\n.arm\nbegin:\nnop\n" + assembler + "\nnop",
				       &uwind::resolver_stretches_arm);
}

const std::string beginning = "push {r0-r4}\nldr r0, [lr, #-4]\nsub r1, ip, lr\nsub r1, r1, #4\nadd r1, r1, r1\n";

} // namespace

TEST_CASE("32-bit Arm: the resolver finds its return address on top of the stack")
{
	CHECK(resolver_stretches(beginning + "blx 1f\nmov ip, r0\npop {r0-r4, lr}\nbx ip\n.thumb\n1: bx lr\nnop\n") ==
	      "4-8 cfa=sp+4 ra=[cfa-4] r11=same; 8-36 cfa=sp+24 ra=[cfa-4] r11=same; 36-40 cfa=sp ra=lr r11=same");
}

TEST_CASE("32-bit Arm: what only begins like the resolver is none")
{
	CHECK(resolver_stretches(beginning + "bl 1f\nmov ip, r0\npop {r0-r4, lr}\nbx ip\n1: bx lr") == "");
	CHECK(resolver_stretches(beginning) == "");
}
