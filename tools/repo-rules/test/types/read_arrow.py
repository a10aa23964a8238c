"""Reads the Parquet and Arrow files of a folder with pyarrow, and writes the rows of each as JSON."""

import base64
import glob
import json
import os
import sys
import uuid

import pyarrow
import pyarrow.parquet

folder, target = sys.argv[1:]


def plain(scalar):
    if not scalar.is_valid:
        return None
    kind = scalar.type
    if isinstance(scalar, pyarrow.ExtensionScalar):
        value = scalar.value
        return str(uuid.UUID(bytes=value.as_py())) if kind.extension_name == "arrow.uuid" else plain(value)
    if pyarrow.types.is_dictionary(kind):
        return plain(scalar.value)
    if pyarrow.types.is_map(kind):
        entries = scalar.values
        return {"entries": [{"key": plain(entry[0]), "value": plain(entry[1])} for entry in entries]}
    if pyarrow.types.is_list(kind) or pyarrow.types.is_fixed_size_list(kind):
        return [plain(item) for item in scalar.values]
    if pyarrow.types.is_struct(kind):
        return [plain(scalar[index]) for index in range(kind.num_fields)]
    if pyarrow.types.is_temporal(kind):
        return {"count": str(scalar.value)}
    if pyarrow.types.is_decimal(kind):
        return format(scalar.as_py(), "f")
    if pyarrow.types.is_binary(kind):
        return {"bytes": base64.b64encode(scalar.as_py()).decode()}
    value = scalar.as_py()
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def rows(table):
    table.validate()  # in full, it refuses the time 24:00:00, which the engine has and Arrow has not
    columns = [[plain(value) for value in column] for column in table.columns]
    return [[column[row] for column in columns] for row in range(table.num_rows)]


def arrow(path):
    with pyarrow.ipc.open_stream(path) as stream:
        return stream.read_all()


read = {}
for path in glob.glob(os.path.join(folder, "*.arrow")):
    name = os.path.splitext(path)[0]
    parquet = pyarrow.parquet.ParquetFile(name + ".parquet").read()
    read[os.path.basename(name)] = {"pyarrow Arrow": rows(arrow(path)), "pyarrow Parquet": rows(parquet)}
with open(target, "w") as file:
    json.dump(read, file)
