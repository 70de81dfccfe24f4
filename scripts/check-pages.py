#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compares manual pages and completions with what the programs say of themselves, and prints each difference.

Usage: check-pages.py FOLDER        where uwind and uwindd were built

- every verb has a page uwind-VERB.1; options and their values are those of --help, no more and no less
- bash, asked what it would offer, and zsh's file have the same verbs, options and values
- uwind(4) has each ioctl and module parameter, uwind-netlink(7) each command, attribute and record
- groff has nothing to say about any page
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAN = ROOT / "daemon/man"
COMPLETIONS = ROOT / "daemon/completions"
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")

complaints = []

TEST_BUILDS = ("stall.c", "walk/again.c")


def compare(what, there, wanted, why):
    for word in sorted(wanted - there):
        complaints.append("%s: %s is missing: %s" % (what, word, why))
    for word in sorted(there - wanted):
        complaints.append("%s: %s does not exist: not in %s" % (what, word, why))


# --- what the programs say ---------------------------------------------------------------------

class Help:
    """One --help: its subcommands, {option: values} and {option: words of its text}, long and short ones each."""

    def __init__(self, *command):
        text = subprocess.run([*command, "--help"], check=True, capture_output=True, text=True).stdout
        self.verbs, self.options, self.words, part, last = [], {}, {}, "", []
        for line in text.splitlines():
            if re.match(r"\w+:$", line):
                part = line[:-1]
            elif part == "Subcommands" and re.match(r"  \w", line):
                self.verbs.append(line.split()[0])
            elif part == "Options" and line.startswith("  -"):
                values = re.search(r":\{([^}]*)\}", line)
                last = line.split()[0].split(",")
                for option in last:
                    self.options[option] = set(values[1].split(",")) if values else set()
            for option in last if part == "Options" else ():
                self.words.setdefault(option, set()).update(re.findall(r"[\w-]+", line))
        if "-h" not in self.options:
            raise SystemExit("check-pages.py: %s --help has another form than expected" % " ".join(command))

    def with_subverbs(self, *command):
        for verb in self.verbs:
            sub = Help(*command, verb)
            self.options.update(sub.options)
            self.words.update(sub.words)
        return self


# --- manual pages ------------------------------------------------------------------------------

def plain(line):
    return re.sub(r"\\f.", "", line).replace("\\-", "-").replace('"', "")


def page_options(path):
    """{option: values} from the tags in the section OPTIONS."""
    options, section, tag = {}, "", False
    for line in path.read_text().splitlines():
        if line.startswith(".SH"):
            section = line[4:]
        elif tag and section == "OPTIONS":
            text = plain(line)
            values = set(re.findall(r"[\w:-]+(?=\|)|(?<=\|)[\w:-]+", text))
            for option in OPTION.findall(text.split(" ", 1)[1]):
                options[option] = values
        tag = line == ".TP"
    return options


def check_page(name, said):
    path = MAN / name
    if not path.exists():
        complaints.append("daemon/man/%s is missing" % name)
        return
    there = page_options(path)
    compare(name, set(there), set(said.options), "--help")
    for option in sorted(set(there) & set(said.options)):
        # Values that the program checks later than --help are in its words only.
        wanted = said.options[option] or there[option] & said.words[option]
        compare("%s, %s" % (name, option), there[option], wanted, "--help")


def check_warnings(path):
    said = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", path], capture_output=True, text=True)
    for line in said.stderr.splitlines():
        complaints.append(line)


# --- the contract ------------------------------------------------------------------------------

def check_contract():
    names = ("uwind.h", "uwind_records.h", "uwind_text.h", "uwind_kstack.h")
    header = "".join((ROOT / "include/uapi" / name).read_text() for name in names)
    device, netlink = ((MAN / page).read_text() for page in ("uwind.4", "uwind-netlink.7"))
    ioctls = set(re.findall(r"^#define (UWIND_IOC_\w+) +_IO", header, re.M))
    compare("uwind.4", set(re.findall(r"^\.B (UWIND_IOC_\w+)$", device, re.M)), ioctls, "uwind.h")
    parameters = set()
    for source in set((ROOT / "kmod").rglob("*.c")) - {ROOT / "kmod" / name for name in TEST_BUILDS}:
        parameters |= set(re.findall(r"^module_param(?:_named)?\((\w+),", source.read_text(), re.M))
    listed = device.split(".SH MODULE PARAMETERS")[1].split(".SH ")[0]
    compare("uwind.4", set(re.findall(r"^\.B (\w+)$", listed, re.M)), parameters, "kmod")
    words = set(re.findall(r"^\t(UWIND_(?:CMD|A)_\w+)", header, re.M))
    words |= set(re.findall(r"UWIND_RECORD_(?!NONE)[A-Z_]+(?=[ ,])", header))
    words -= {w for w in words if re.search(r"_(UNSPEC|PAD|MAX)$", w)}
    tags = re.findall(r"^\.TP\n\.BR? (UWIND_\w+)", netlink, re.M)
    compare("uwind-netlink.7", set(tags), words, "uwind.h")


# --- completions -------------------------------------------------------------------------------

def offered(*words):
    """What bash offers for the last of these words."""
    script = '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _uwind; printf "%s\\n" "${COMPREPLY[@]}"'
    said = subprocess.run(["bash", "-uc", script, "bash", COMPLETIONS / "uwind.bash", "uwind", *words],
                          check=True, capture_output=True, text=True, cwd=MAN)
    if said.stderr:
        complaints.append("uwind.bash: %s" % said.stderr.strip())
    return set(said.stdout.split())


def check_bash_options(verb, said):
    what = "uwind.bash: uwind %s" % " ".join(verb)
    compare(what, offered(*verb, "-") - {"--"}, set(said.options), "--help")
    for option, values in sorted(said.options.items()):
        if values:
            compare("%s %s" % (what, option), offered(*verb, option, ""), values, "--help")
            compare("%s %s=" % (what, option), offered(*verb, option, "="), values, "--help")


def check_bash_words():
    """What --help does not tell: files, processes, the command of a recording."""
    readme = {"README.md"}
    compare("uwind.bash: -i", offered("report", "-i", "READ"), readme, "this folder")
    compare("uwind.bash: FILE", offered("table", "stat", "READ"), readme, "this folder")
    compare("uwind.bash: -p", offered("record", "-p", "1,1") & {"1,1"}, {"1,1"}, "/proc")
    compare("uwind.bash: a number", offered("record", "-F", ""), set(), "anything")
    compare("uwind.bash: --", offered("record", "--", "mapfil"), {"mapfile"}, "commands")


def check_bash(top, verbs):
    compare("uwind.bash", offered(""), set(top.verbs) | set(top.options), "--help")
    for verb, said in verbs.items():
        if said.verbs:
            compare("uwind.bash: uwind %s" % verb, {w for w in offered(verb, "") if w[0] != "-"}, set(said.verbs), "--help")
    check_bash_words()


def zsh_functions():
    """{verb: text of its function}, the options that all have put in."""
    text = (COMPLETIONS / "_uwind").read_text()
    common = re.search(r"^_uwind_common=\((.*?)^\)", text, re.M | re.S)[1]
    found = re.findall(r"^_uwind_([\w-]+)\(\) \{(.*?)\}$", text, re.M | re.S)
    return text, {verb: body.replace("$_uwind_common", common) for verb, body in found}


def check_zsh(top, verbs):
    text, functions = zsh_functions()
    described = set(re.findall(r"^\t\t'([\w-]+):", text.split("\n_uwind() {")[1], re.M))
    compare("_uwind", described, set(top.verbs), "--help")
    for verb, said in verbs.items():
        body = functions.get(verb, "")
        specs = re.sub(r"\[[^\]]*\]|^\t+(local|_describe) .*$|_arguments -S|:_command_names -e", "", body, flags=re.M)
        compare("_uwind: %s" % verb, set(OPTION.findall(specs)), set(said.options), "--help")
        values = {tuple(sorted(group.split())) for group in re.findall(r":\(([^)]*)\)'", body.replace(r"\:", ":"))}
        compare("_uwind: %s" % verb, {" ".join(v) for v in values},
                {" ".join(sorted(v)) for v in said.options.values() if v}, "--help")


def main():
    programs = pathlib.Path(sys.argv[1])
    uwind = str(programs / "uwind")
    top = Help(uwind)
    check_page("uwind.1", top)
    check_page("uwindd.8", Help(str(programs / "uwindd")))
    verbs = {}
    for verb in top.verbs:
        own = Help(uwind, verb)
        check_bash_options([verb], own)
        for sub in own.verbs:
            check_bash_options([verb, sub], Help(uwind, verb, sub))
        verbs[verb] = own.with_subverbs(uwind, verb)
        check_page("uwind-%s.1" % verb, own)
    for path in sorted(MAN.glob("*.[1-9]")):
        check_warnings(path)
    check_contract()
    check_bash(top, verbs)
    check_zsh(top, verbs)
    for line in complaints:
        print(line)
    return 1 if complaints else 0


sys.exit(main())
