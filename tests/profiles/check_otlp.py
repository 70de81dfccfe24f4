#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Compares OTLP profiles with the JSON report that they were made of: check_otlp.py REPORT PROTOBUF JSON. It reads them by
the protocol's own files (published/), with Debian's protoc and python3-protobuf.

The bytes are both a ProfilesData and an ExportProfilesServiceRequest, without a field that the protocol does not have. The
JSON is the same message. The dictionary has no entry twice, or that nothing refers to. Each sample of the report with a stack
is there, with its thread, CPU, time, value, and its frames. Prints figures; exit 1 and why if something is wrong.
"""
import base64
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

import expected

FILES = pathlib.Path(__file__).resolve().parent / "published"
PROFILES = "opentelemetry.proto.profiles.v1development"
SERVICE = "opentelemetry.proto.collector.profiles.v1development.ExportProfilesServiceRequest"
TABLES = {"mapping_table", "location_table", "function_table", "link_table", "string_table", "attribute_table", "stack_table"}
HEX = {"traceId", "spanId", "profileId"}  # bytes that are no base64 in OTLP's JSON


def file_of(path, folder):
    """Puts a published file where others import it from, which its package says."""
    text = path.read_text(encoding="utf-8")
    name = pathlib.Path(re.search(r"^package ([\w.]+);", text, re.MULTILINE)[1].replace(".", "/"), path.name)
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text(text, encoding="utf-8")
    return str(name)


def published():
    """A function that gives the class of a message's name."""
    with tempfile.TemporaryDirectory() as folder:
        names = [file_of(path, pathlib.Path(folder)) for path in sorted(FILES.glob("*.proto"))]
        subprocess.run(["protoc", f"-I{folder}", "--include_imports", f"--descriptor_set_out={folder}/set", *names], check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(folder, "set").read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for one in files.file:
        pool.Add(one)
    factory = message_factory.MessageFactory(pool)
    return lambda name: factory.GetPrototype(pool.FindMessageTypeByName(name))


def parse(kind, contents):
    message = kind.FromString(contents)
    size = message.ByteSize()
    message.DiscardUnknownFields()
    assert message.ByteSize() == size, f"{size - message.ByteSize()} bytes are of fields that {kind.DESCRIPTOR.full_name} does not have"
    return message


def of_hex(value):
    """As protobuf's own mapping has it."""
    if isinstance(value, list):
        return [of_hex(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: base64.b64encode(bytes.fromhex(one)).decode() if key in HEX else of_hex(one) for key, one in value.items()}


def check_json(path, kind, message):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    assert text.count("\n") == 1 and text.endswith("\n"), "the JSON is not one line"
    again = kind()
    json_format.ParseDict(of_hex(json.loads(text)), again)
    assert again == message, "the JSON is another message"


def indices(message, used):
    """Notes which entries of tables the message refers to, by the name of the field."""
    for field, value in message.ListFields():
        repeated = field.label == field.LABEL_REPEATED
        if field.name.endswith("_strindex"):
            used["string_table"].add(value)
        elif field.name.endswith("_index") or field.name.endswith("_indices"):
            used[field.name.removesuffix("_index").removesuffix("_indices") + "_table"].update(value if repeated else [value])
        elif field.type == field.TYPE_MESSAGE:
            for one in value if repeated else [value]:
                indices(one, used)


def check_dictionary(message):
    used = collections.defaultdict(set)
    indices(message, used)
    for field in TABLES:
        table = getattr(message.dictionary, field)
        entries = list(table) if field == "string_table" else [row.SerializeToString(deterministic=True) for row in table]
        assert entries, f"{field} has no entry 0"
        assert len(set(entries)) == len(entries), f"{field} has an entry twice"
        assert used[field] | {0} == set(range(len(entries))), f"{field}: entries that nothing refers to, or that are not there"
        if field == "link_table":
            assert [(row.trace_id, row.span_id) for row in table] == [(bytes(16), bytes(8))]
        else:
            assert not entries[0], f"entry 0 of {field} is not empty"


class Reader:
    def __init__(self, message):
        self.message, self.tables = message, message.dictionary
        self.text = self.tables.string_table
        self.frames = [self.frame(location) for location in self.tables.location_table]
        self.stacks = [tuple(self.frames[i] for i in stack.location_indices) for stack in self.tables.stack_table]

    def attributes(self, owner):
        """By name; none twice."""
        rows = [self.tables.attribute_table[index] for index in owner.attribute_indices]
        pairs = [(self.text[row.key_strindex], getattr(row.value, row.value.WhichOneof("value"))) for row in rows]
        assert len(dict(pairs)) == len(pairs), f"an attribute twice: {pairs}"
        return dict(pairs)

    def frame(self, location):
        mapping = self.tables.mapping_table[location.mapping_index]
        if location.mapping_index:
            assert mapping.memory_start <= location.address < mapping.memory_limit, f"{location} is not within {mapping}"
        lines = []
        for line in location.lines:
            function = self.tables.function_table[line.function_index]
            lines.append((self.text[function.name_strindex], self.text[function.filename_strindex], line.line))
        place = location.address - mapping.memory_start + mapping.file_offset
        kernel = self.attributes(location).get("profile.frame.type") == "kernel"
        return expected.Frame(self.text[mapping.filename_strindex], location.address, place, tuple(lines), kernel)

    def build_ids(self):
        return {(self.text[mapping.filename_strindex], self.attributes(mapping).get("process.executable.build_id.gnu"))
                for mapping in self.tables.mapping_table[1:]}

    def profiles(self):
        """With what their resource has."""
        for resource in self.message.resource_profiles:
            pairs = [(row.key, getattr(row.value, row.value.WhichOneof("value"))) for row in resource.resource.attributes]
            assert len(dict(pairs)) == len(pairs)
            for scope in resource.scope_profiles:
                for profile in scope.profiles:
                    yield dict(pairs), scope.scope, profile

    def samples(self, started_ns):
        for resource, _, profile in self.profiles():
            event = self.text[profile.period_type.type_strindex]
            kind = self.text[profile.sample_type.type_strindex], self.text[profile.sample_type.unit_strindex]
            identities = [(s.stack_index, tuple(sorted(s.attribute_indices)), s.link_index) for s in profile.samples]
            assert len(set(identities)) == len(identities), "samples that one could be"
            for sample in profile.samples:
                attributes = self.attributes(sample)
                assert len(sample.values) == len(sample.timestamps_unix_nano) > 0
                for value, time_ns in zip(sample.values, sample.timestamps_unix_nano):
                    yield (resource["process.pid"], attributes["thread.id"], attributes["cpu.logical_number"], event, kind, value,
                           time_ns - profile.time_unix_nano + started_ns, self.stacks[sample.stack_index])


def expected_sample(sample, clocks):
    if sample.period is None:
        kind, value = ("samples", "count"), sample.weight
    else:
        kind, value = (sample.event, "nanoseconds" if sample.event in clocks else "count"), sample.period
    return sample.pid, sample.tid, sample.cpu, sample.event, kind, value, sample.time_ns, sample.frames


def clocks_of(report):
    """Events whose periods are times."""
    events = {expected.event_of(report, sample) for sample in report["samples"]}
    return {event for event in events if event.split(":")[0].split("/")[0] in ("cpu-clock", "task-clock", "offcpu")}


def check_samples(report, samples, reader):
    started_ns = report["session"].get("started_ns", min((s["time_ns"] for s in report["samples"]), default=0))
    clocks, texts = clocks_of(report), expected.Texts(lambda frame: frame._replace(place=None))
    ours = [expected_sample(sample, clocks) for sample in samples]
    theirs = list(reader.samples(started_ns))
    found = expected.difference(*([(*sample[:-1], texts.of(sample[-1])) for sample in all_] for all_ in (ours, theirs)))
    assert not found, found
    known = {frame for frame in expected.all_frames(sample.frames for sample in samples) if frame.place is not None}
    missing = known - set(reader.frames)
    assert not missing, f"places in files that are not there: {list(missing)[:3]}"


PROCESS = {"process.pid": "pid", "process.executable.path": "exe", "process.parent_pid": "parent_pid",
           "process.vpid": "namespace_pid", "process.linux.cgroup": "cgroup", "container.id": "container"}


def check_facts(report, reader):
    host = report["host"]
    processes = [{ours: process[key] for ours, key in PROCESS.items() if process.get(key)} for process in report["processes"]]
    for resource, scope, profile in reader.profiles():
        assert {key: value for key, value in resource.items() if key in PROCESS} in processes, resource
        assert "process.command_args" not in resource
        assert resource["host.name"] == host["hostname"] and resource["os.type"] == "linux"
        assert resource["host.arch"] == {"x86_64": "amd64"}.get(host["arch"], host["arch"])
        assert resource["process.executable.name"]
        assert (scope.name, scope.version) == ("uwind", host["uwind"])
        assert profile.duration_nano == report["session"]["duration_ns"]
    build_ids = {(module["path"], module["build_id"]) for module in report["modules"]}
    assert reader.build_ids() <= build_ids
    lost = {reason: count for reason, count in report["counters"]["lost"].items() if count}
    said = [reader.attributes(profile) for _, _, profile in reader.profiles()]
    assert not said or {key: count for key, count in said[0].items() if key.startswith("uwind.lost.")} == {
        f"uwind.lost.{reason}": count for reason, count in lost.items()}
    assert not any(said[1:]), "losses are there more than once"


def check(report_path, protobuf_path, json_path):
    """The figures."""
    message_of = published()
    contents = pathlib.Path(protobuf_path).read_bytes()
    message = parse(message_of(f"{PROFILES}.ProfilesData"), contents)
    parse(message_of(SERVICE), contents)
    check_json(json_path, message_of(f"{PROFILES}.ProfilesData"), message)
    check_dictionary(message)
    report, reader = expected.load(report_path), Reader(message)
    samples = list(expected.samples_of(report))
    check_samples(report, samples, reader)
    check_facts(report, reader)
    return expected.figures(samples)


if __name__ == "__main__":
    print(check(*sys.argv[1:]))
