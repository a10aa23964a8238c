import { type Sample, samplesOf } from "../sample.ts";

/** Dates, times and intervals. */
export const times: readonly Sample[] = [
  ...samplesOf(
    ["DATE", "date", "DATE", "Date32<DAY>"],
    { sql: "DATE '2026-11-20'", text: "2026-11-20" },
    { sql: "DATE '12026-01-02'", text: "12026-01-02", json: '"+012026-01-02"', extreme: true, csv: "refused" },
    { sql: "DATE '0044-03-15 (BC)'", text: "0044-03-15 (BC)", json: '"-000043-03-15"', extreme: true },
    { sql: "DATE 'infinity'", text: "infinity", arrowText: "2147483647", extreme: true },
  ),
  ...samplesOf(
    ["TIMESTAMP", "date", "TIMESTAMP", "Timestamp<MICROSECOND>"],
    { sql: "TIMESTAMP '2026-11-20 09:30:00'", text: "2026-11-20 09:30:00", json: '"2026-11-20T09:30:00.000Z"' },
    {
      sql: "TIMESTAMP '2026-11-20 09:30:00.123456'",
      text: "2026-11-20 09:30:00.123456",
      json: '"2026-11-20T09:30:00.123456Z"',
    },
    {
      sql: "TIMESTAMP '12026-01-02 01:02:03'",
      text: "12026-01-02 01:02:03",
      json: '"+012026-01-02T01:02:03.000Z"',
      extreme: true,
      csv: "refused",
    },
    {
      sql: "TIMESTAMP '0044-03-15 (BC) 01:02:03'",
      text: "0044-03-15 (BC) 01:02:03",
      json: '"-000043-03-15T01:02:03.000Z"',
      extreme: true,
    },
    { sql: "TIMESTAMP '-infinity'", text: "-infinity", arrowText: "-9223372036854775807", extreme: true },
  ),
  ...samplesOf(["TIMESTAMP_S", "date", "TIMESTAMP", "Timestamp<MICROSECOND>"], {
    sql: "TIMESTAMP_S '2026-11-20 09:30:00'",
    text: "2026-11-20 09:30:00",
    json: '"2026-11-20T09:30:00.000Z"',
  }),
  ...samplesOf(["TIMESTAMP_MS", "date", "TIMESTAMP", "Timestamp<MICROSECOND>"], {
    sql: "TIMESTAMP_MS '2026-11-20 09:30:00.5'",
    text: "2026-11-20 09:30:00.5",
    json: '"2026-11-20T09:30:00.500Z"',
  }),
  ...samplesOf(["TIMESTAMP_NS", "date", "TIMESTAMP_NS", "Timestamp<NANOSECOND>"], {
    sql: "TIMESTAMP_NS '2026-11-20 09:30:00.123456789'",
    text: "2026-11-20 09:30:00.123456789",
    json: '"2026-11-20T09:30:00.123456789Z"',
  }),
  ...samplesOf(["TIMESTAMP WITH TIME ZONE", "date", "TIMESTAMP WITH TIME ZONE", "Timestamp<MICROSECOND, UTC>"], {
    sql: "TIMESTAMPTZ '2026-11-20 09:30:00+02'",
    text: "2026-11-20 07:30:00+00",
    json: '"2026-11-20T07:30:00.000Z"',
  }),
  ...samplesOf(
    ["TIME", "string", "TIME", "Time64<MICROSECOND>"],
    { sql: "TIME '09:30:00.5'", text: "09:30:00.5" },
    { sql: "TIME '24:00:00'", text: "24:00:00", extreme: true },
  ),
  ...samplesOf(["TIME_NS", "string", "VARCHAR", "Utf8"], {
    sql: "TIME_NS '09:30:00.123456789'",
    text: "09:30:00.123456789",
  }),
  ...samplesOf(["TIME WITH TIME ZONE", "string", "VARCHAR", "Utf8"], {
    sql: "'09:30:00+02'::TIMETZ",
    text: "09:30:00+02",
  }),
  ...samplesOf(["INTERVAL", "string", "VARCHAR", "Utf8"], {
    sql: "INTERVAL '1 month 2 days 3 microseconds'",
    text: "1 month 2 days 00:00:00.000003",
  }),
];
