"""Calls the published client `flipside` as its users do, and prints the results as JSON.

Argument: JSON with url, apiKey, and the SQL texts statement, empty, failing and endless.
"""

import json
import sys

from flipside import Flipside
from flipside.errors import ApiError, QueryRunExecutionError
from flipside.models import Filter, SortBy

subject = json.loads(sys.argv[1])
flipside = Flipside(subject["apiKey"], subject["url"])


def message_of(error, work):
    try:
        work()
    except error as raised:
        return str(raised)
    return None


whole = flipside.query(subject["statement"])
second = flipside.get_query_results(whole.query_id, page_number=2, page_size=2)
filtered = flipside.get_query_results(
    whole.query_id,
    filters=[Filter(column=whole.columns[0], in_=[2, 3])],
    sort_by=[SortBy(column=whole.columns[0], direction="desc")],
)
run = flipside.get_query_run(whole.query_id)
statement = flipside.get_sql_statement(run.sqlStatementId)
empty = flipside.query(subject["empty"])

created = flipside.rpc.create_query(
    {
        "resultTTLHours": 1,
        "maxAgeMinutes": 0,
        "sql": subject["endless"],
        "tags": {"sdk_language": "python", "sdk_package": "python", "sdk_version": "2.1.0"},
        "dataSource": "snowflake-default",
        "dataProvider": "flipside",
    }
)
canceled = flipside.cancel_query_run(created.result.queryRun.id)

print(
    json.dumps(
        {
            "status": whole.status,
            "columns": whole.columns,
            "rows": whole.rows,
            "records": whole.records,
            "recordCount": whole.run_stats.record_count,
            "elapsedSeconds": whole.run_stats.elapsed_seconds,
            "secondPage": {"rows": second.rows, "totalRows": second.page.totalRows},
            "filteredRows": filtered.rows,
            "sql": statement.sql,
            "emptyRows": empty.rows,
            "canceledState": canceled.state,
            "failure": message_of(QueryRunExecutionError, lambda: flipside.query(subject["failing"])),
            "wrongKey": message_of(ApiError, lambda: Flipside("wrong", subject["url"]).query(subject["statement"])),
        }
    )
)
