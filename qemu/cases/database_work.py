# SPDX-License-Identifier: GPL-2.0
"""A database's work, on a file system that is synchronised.

Usage: database_work.py sqlite3|postgres TRANSACTIONS
"""
import subprocess
import sys

sys.path.insert(0, "/root/bench")
import programs  # noqa: E402  # pylint: disable=wrong-import-position

SCHEMA = "create table if not exists t(a integer primary key, b text);"
TRANSACTION = "insert into t(b) select hex(count(*) * 7919 % 10007) from t;"


class Synchronised(programs.Postgres):
    settings = programs.Postgres.settings | {"fsync": "on"}


def work_of_sqlite(transactions):
    subprocess.run(["sqlite3", f"{programs.FOLDER}/test.db"], input="pragma synchronous = full;" + SCHEMA + TRANSACTION * transactions,
                   check=True, text=True, stdout=subprocess.DEVNULL)


def work_of_postgres(transactions):
    postgres = Synchronised()
    postgres.transactions = transactions
    postgres.begin()
    try:
        subprocess.run(postgres.command(), check=True, stdout=subprocess.DEVNULL)
    finally:
        postgres.end()


WORK = {"sqlite3": work_of_sqlite, "postgres": work_of_postgres}


def main(program, transactions):
    WORK[program](int(transactions))


if __name__ == "__main__":
    main(*sys.argv[1:])
