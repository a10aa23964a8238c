"""Records the answers of ClickHouse in answers.json again: python3 record.py, with the package chdb.

chdb is ClickHouse within the process. It has no HTTP server: the answers are the bodies that the engine writes.
"""

import json
from pathlib import Path

from chdb import session

FORMAT = "JSONCompactEachRowWithNamesAndTypes"
SETTINGS = {
    "session_timezone": "'UTC'",
    "date_time_output_format": "'iso'",
    "output_format_json_quote_64bit_integers": 0,
    "output_format_json_quote_decimals": 1,
    "output_format_json_quote_denormals": 1,
    "output_format_json_named_tuples_as_objects": 0,
    "output_format_json_validate_utf8": 0,
    "print_pretty_type_names": 0,
    "param_database": "'shop'",
}

answers = Path(__file__).with_name("answers.json")
engine = session.Session()
engine.query("CREATE DATABASE shop")
engine.query(
    "CREATE TABLE shop.places (id Int64, spot Tuple(x Float64, y Float64), at Nullable(DateTime64(6))) ENGINE = Memory"
)
for name, value in SETTINGS.items():
    engine.query(f"SET {name} = {value}")
engine.query("SET readonly = 1")


def record(sql):
    try:
        # Bytes that are not UTF-8 become surrogates, which the test turns into the bytes again.
        return {"sql": sql, "body": engine.query(sql, FORMAT).bytes().decode("utf-8", "surrogateescape")}
    except Exception as error:
        # After an error, the engine keeps what it has written so far for the next answer.
        engine.query("SELECT 1", FORMAT)
        return {"sql": sql, "error": str(error)}


recorded = json.loads(answers.read_text())
version = json.loads(engine.query("SELECT version()", "JSONCompactEachRow").bytes())[0]
statements = [each["sql"] for each in recorded["answers"]]
recorded = {"version": version, "answers": [record(sql) for sql in statements]}
answers.write_text(json.dumps(recorded, indent=2) + "\n")
