"""Made-up task.toml files, right and wrong in turn, for both parsers: make_configs.py OUT COUNT SEED."""

import json
import random
import sys
from pathlib import Path

WORDS = (
    ["", "a", "linux", "Windows", "shared", "main", "public", "2G", "512m", " 3 K ", "10", "4.0"]
    + ["1_000", "inf", "nan", "true", "/app", "../x", "/a/..b", "./", "manifest.json/", "a\\b"]
    + ["org/name", "a/b/c", "http", "x y", "ü", "${A}", "C:/x", "-x", "a:b", "1e5", "0x1", ".5"]
)
HOSTS = (
    ["a.b", "*.a.b", "*", "1.2.3.4", "1.2.3.0/24", "1.2.3.4/24", "::1", "fe80::/10", "[::1]"]
    + ["2001:DB8::", "a_b", "a..b", "-a", "A.B.", "a.b:80", "http://a", "1.2.3", "1.2.3.4.5"]
    + ["0.0.0.0/0", "::/0", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8", "1::8/12", "01.2.3.4", "1.2.3.4/"]
    + ["10.0.0.0/255.0.0.0", "10.0.0.0/0.0.0.255", "1:0:0:2:0:0:0:3", "é.com", "256.1.1.1", "/8"]
)
STEP_NAMES = ["one", "two", "Two", "ONE", "a.b", "con", "x.", "ü", "Ü", "a/b", "nul.txt", "com10"]
PACKAGES = ["a/b", "A1/b.c", "a", "a/..b", ".a/b", "a/b/c", "a/-b"]
NUMBERS = ["1", "600", "0.5", '"5"', "4.0", '"4.0"', "true", "-1", "0", '"1_0"', '" 7 "', "inf"]

ENVIRONMENT = {
    **{key: "text" for key in ("docker_image", "skills_dir", "workdir")},
    **{key: "whole" for key in ("cpus", "gpus")},
    **{key: "megabytes" for key in ("memory_mb", "storage_mb")},
    **{key: "size" for key in ("memory", "storage")},
    **{"network_mode": "network", "allowed_hosts": "hosts", "build_timeout_sec": "number"},
    **{"os": "system", "gpu_types": "texts", "tpu": "tpu", "mcp_servers": "servers"},
    **{"env": "table", "healthcheck": "healthcheck", "allow_internet": "boolean"},
}
AGENT = {
    **{"network_mode": "network", "allowed_hosts": "hosts", "timeout_sec": "number"},
    "user": "user",
}
VERIFIER = {**AGENT, "env": "table", "environment_mode": "mode", "collect": "hooks"}
ROOT = {
    **{key: "text" for key in ("schema_version", "version", "source")},
    **{"multi_step_reward_strategy": "strategy", "artifacts": "artifacts"},
}


class Maker:
    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def one(self, choices):
        return self.random.choice(choices)

    def quoted(self, choices):
        return json.dumps(self.one(choices))

    def some(self, make, most: int):
        return [make() for _ in range(self.random.randint(0, most))]

    def listed(self, make, most: int = 2):
        return f"[{', '.join(self.some(make, most))}]"

    def artifact(self):
        if self.random.random() < 0.5:
            return self.quoted(WORDS)
        source, place = self.quoted([*WORDS, "/a", "/b"]), self.quoted(WORDS)
        service = self.quoted(["main", "db", " x ", "-", ""])
        return f"{{source = {source}, destination = {place}, service = {service}}}"

    def hook(self):
        service = self.quoted(["main", "db", "a b", " t "])
        return f'{{command = "c", service = {service}, timeout_sec = {self.one(NUMBERS)}}}'

    def server(self):
        transport = self.quoted(["http", "sse", "stdio", "streamable-http"])
        return f'{{name = "m", transport = {transport}, {self.one(["url", "command"])} = "u"}}'

    def right(self, kind: str):
        """A value of the kind, in most cases one that is taken."""
        makers = {
            "text": lambda: self.quoted(WORDS),
            "texts": lambda: self.listed(lambda: self.quoted(WORDS)),
            "hosts": lambda: self.listed(lambda: self.quoted(HOSTS)),
            "number": lambda: self.one(NUMBERS),
            "whole": lambda: self.one(["1", "4096", '"8"', "2.0", "true", "0"]),
            # Not `true`: beside "1M" Python takes it for 1, and finds no conflict.
            "megabytes": lambda: self.one(["1", "2048", "4096", '"8"', "2.0", "0"]),
            "size": lambda: self.quoted(
                ["2G", "4M", "1.5g", " 3 k", "4096K", "2GB", "G", "1e1G", "-1M", ".5G"]
            ),
            "boolean": lambda: self.one(["true", "false", "1", "0", '"yes"', '"off"']),
            "user": lambda: self.one(['"root"', "0", "1000", "1.0", '"5"', "true"]),
            "table": lambda: f"{{A = {self.quoted(WORDS)}, B = {self.quoted(WORDS)}}}",
            "network": lambda: self.quoted(["public", "no-network", "allowlist", "allowlist"]),
            "system": lambda: self.quoted(["linux", "LINUX", "windows"]),
            "mode": lambda: self.quoted(["shared", "separate"]),
            "strategy": lambda: self.quoted(["mean", "final", "max"]),
            "tpu": lambda: f'{{type = "v4", topology = {self.quoted(["2x4", "2", " 2x2 "])}}}',
            "healthcheck": lambda: f'{{command = "x", timeout_sec = {self.one(NUMBERS)}}}',
            "servers": lambda: self.listed(self.server),
            "artifacts": lambda: self.listed(self.artifact),
            "hooks": lambda: self.listed(self.hook),
        }
        return makers[kind]()

    def wrong(self):
        """A value of any kind."""
        return self.one(
            [*NUMBERS, "2026-01-01", "nan", '["a"]', "[1]", "{}", "{a = 1}", self.quoted(WORDS)]
        )

    def body(self, fields, share: float, faults: float):
        for key, kind in fields.items():
            if self.random.random() >= share:
                continue
            is_wrong = kind != "megabytes" and self.random.random() < faults
            yield f"{key} = {self.wrong() if is_wrong else self.right(kind)}"

    def step(self, share: float, faults: float):
        yield "[[steps]]"
        yield f"name = {self.quoted(STEP_NAMES)}"
        if self.random.random() < 0.3:
            yield f"min_reward = {self.one(['0.5', 'true', '{a = "1", b = 2}', '"x"'])}"
        for table, fields in {
            "steps.agent": AGENT,
            "steps.verifier": VERIFIER,
            "steps.verifier.environment": ENVIRONMENT,
        }.items():
            if self.random.random() < 0.25:
                yield f"[{table}]"
                yield from self.body(fields, share, faults)

    def config(self):
        faults, share = self.one([0, 0, 0, 0.03, 0.1]), self.one([0.05, 0.1, 0.2])
        yield from self.body(ROOT, share, faults)
        if self.random.random() < 0.2:
            yield f"[task]\nname = {self.quoted(PACKAGES)}"
        for table, fields in {
            "agent": AGENT,
            "verifier": VERIFIER,
            "environment": ENVIRONMENT,
            "verifier.environment": ENVIRONMENT,
        }.items():
            if self.random.random() < 0.4:
                yield f"[{table}]"
                yield from self.body(fields, share, faults)
        if self.random.random() < 0.4:
            for lines in self.some(lambda: list(self.step(share, faults)), 3):
                yield from lines


def main():
    out, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    maker = Maker(seed)
    for i in range(count):
        text = "\n".join(maker.config()) + "\n"
        (out / f"made-{seed}-{i}.toml").write_text(text, encoding="utf-8")


main()
