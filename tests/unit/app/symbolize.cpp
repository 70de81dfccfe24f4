// SPDX-License-Identifier: GPL-2.0
// Names for a report that has none: which address is looked up, what is kept, and what is said to be missing.
#include "app/symbolize.h"

#include <catch2/catch.hpp>
#include <map>

#include "unit/export/sample_report.h"

using namespace uwind;

namespace {

// Of one file, /bin/prog. It notes what it is asked.
class FakeFiles : public CodeFiles {
public:
	Functions functions;
	std::map<std::uint64_t, std::vector<SourcePlace>> places;
	std::vector<CodePart> parts = {{0, ~std::uint64_t{0}}};
	std::string path = "/bin/prog", lacks, kernel;
	std::vector<std::uint64_t> asked;

	Result<std::unique_ptr<CodeFile>> open(const CodeName& name) override
	{
		if (name.path != path || name.build_id != "00ff" || name.kernel != kernel)
			return Error{ENOENT, "there is no such file"};
		return std::unique_ptr<CodeFile>(std::make_unique<File>(*this));
	}

private:
	class File : public CodeFile {
	public:
		explicit File(FakeFiles& files) : files_(files) {}
		Functions functions() override { return files_.functions; }
		std::vector<CodePart> parts() override { return files_.parts; }
		std::vector<std::vector<SourcePlace>> places(const std::vector<std::uint64_t>& addresses) override
		{
			files_.asked = addresses;
			std::vector<std::vector<SourcePlace>> result;
			for (const std::uint64_t address : addresses)
				result.push_back(files_.places[address]);
			return result;
		}
		const std::string& lacks() const override { return files_.lacks; }

	private:
		FakeFiles& files_;
	};
};

} // namespace

TEST_CASE("a caller is looked up at its call, and the program counter where it was")
{
	Report report = sample_report();
	report.stacks = {{{0, 2}, {Method::PC, Method::EH_FRAME}, {{}, {}}, Stop::OUTERMOST}};
	report.frames[0].symbol.reset();
	FakeFiles files;
	files.functions.symbols = {{0x1000, 0x20, Binding::global, "_ZN2ns4leafEv"},
				   {0x11f0, 0x10, Binding::global, "calls"}};
	const auto counts = symbolize(report, files);
	CHECK(files.asked == std::vector<std::uint64_t>{0x1010, 0x111f, 0x11ff});
	CHECK(report.frames[0].symbol == "ns::leaf()");
	CHECK(report.frames[0].symbol_offset == 0x10);
	CHECK(report.frames[2].symbol == "calls");
	CHECK(report.frames[2].symbol_offset == 0x10);
	CHECK(counts.frames == 4);
	CHECK(counts.named_before == 1);
	CHECK(counts.named == 3);
}

TEST_CASE("a frame keeps the name that it has")
{
	Report report = sample_report();
	FakeFiles files;
	files.functions.symbols = {{0x1000, 0x1000, Binding::global, "other"}};
	symbolize(report, files);
	CHECK(report.frames[0].symbol == "leaf");
	CHECK(report.frames[1].symbol == "main");
	CHECK(report.frames[2].symbol == "other");
}

TEST_CASE("inlined functions and lines go into the frame, and another look replaces them")
{
	Report report = sample_report();
	FakeFiles files;
	files.places[0x1010] = {{"_ZN2ns1aEv", "/src/a.h", 3}, {"b", "/src/b.h", 4}, {"leaf", "/src/leaf.c", 5}};
	for (int again = 0; again < 2; again++) {
		const auto counts = symbolize(report, files);
		const ReportFrame& leaf = report.frames[0];
		CHECK(leaf.source == ReportSource{"/src/leaf.c", 5});
		CHECK(leaf.inlined == std::vector<ReportInlined>{{"ns::a()", {"/src/a.h", 3}}, {"b", {"/src/b.h", 4}}});
		CHECK(counts.inlined == 2);
		CHECK(counts.with_line == 1);
	}
	CHECK(!report.frames[1].source);
}

TEST_CASE("what is missing is said by file, and code that the kernel made itself is left alone")
{
	Report report = sample_report();
	report.modules.push_back({"[bpf]", "", {}, 0, 0});
	report.frames[1].kernel = true;
	report.frames[1].module = 2;
	FakeFiles files;
	files.lacks = "it has no debug information, and no debug file is there";
	const auto counts = symbolize(report, files);
	CHECK(counts.missing ==
	      std::vector<std::string>{"/bin/prog: it has no debug information, and no debug file is there",
				       "/tmp/\"q\": there is no such file"});
	CHECK(counts.frames == 3);
	CHECK(files.asked.size() == 2);
	CHECK(code_names(report).size() == 2);
}

TEST_CASE("frames of the kernel have lines where their names are in its file, and keep these names")
{
	Report report = sample_report();
	report.modules[0].path = "[kernel.kallsyms]";
	for (int i = 0; i < 3; i++)
		report.frames[i].kernel = true;
	FakeFiles files;
	files.kernel = report.host.kernel;
	files.path = report.modules[0].path;
	// leaf was 0x50000 bytes further on.
	files.functions.symbols = {{0x51000, 0x20, Binding::global, "leaf"}, {0x51200, 0x20, Binding::global, "other"}};
	files.places[0x51010] = {{"a", "/src/a.h", 3}, {"leaf", "/src/leaf.c", 5}};
	const auto counts = symbolize(report, files);
	CHECK(files.asked == std::vector<std::uint64_t>{0x51010, 0x51120, 0x511ff});
	CHECK(report.frames[0].symbol == "leaf");
	CHECK(report.frames[0].source == ReportSource{"/src/leaf.c", 5});
	CHECK(report.frames[0].inlined == std::vector<ReportInlined>{{"a", {"/src/a.h", 3}}});
	CHECK(!report.frames[2].symbol);
	CHECK(counts.with_line == 1);
	CHECK(code_names(report).front().kernel == report.host.kernel);
	files.functions.symbols.clear();
	CHECK(symbolize(report, files).missing.front() ==
	      "[kernel.kallsyms]: none of its functions is where its debug file has them");
}
