import type { Table } from "@quern/client";
import { listQueryRunsOptions, listTablesOptions, useMethod } from "@quern/react";
import { visible } from "../grid/cell-text.ts";
import { countText } from "../grid/count-text.ts";
import { ScrolledTable, Section } from "./section.tsx";

/** The tables come from the engines, so they are read again only every minute. */
const REFRESH_MS = 60_000;
const MAX_TABLES = 1000;
const RECENT_RUNS = 200;

/** Data sources: those that list tables, and those of recent runs. */
export function SourcesSection() {
  const options = { staleTime: 0, refetchInterval: REFRESH_MS };
  const { data, error, dataUpdatedAt } = useMethod(listTablesOptions, { limit: MAX_TABLES }, options);
  const recent = useMethod(listQueryRunsOptions, { limit: RECENT_RUNS }, options).data?.queryRuns ?? [];
  const tables = data?.tables ?? [];
  const failed = recent.filter(({ state }) => state === "QUERY_STATE_FAILED");
  const listed = tables.map(({ dataSource }) => dataSource);
  const names = [...new Set([...listed, ...recent.map(({ dataSourceId }) => dataSourceId)])].sort();
  return (
    <Section title="Data sources" updatedAt={dataUpdatedAt} error={error}>
      <ScrolledTable caption={`Sources with tables, or among the last ${RECENT_RUNS} runs`}>
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col">Provider</th>
            <th scope="col">State</th>
            <th scope="col" className="number">
              Tables
            </th>
            <th scope="col" className="number">
              {`Failed of the last ${RECENT_RUNS} runs`}
            </th>
          </tr>
        </thead>
        <tbody>
          {data !== undefined &&
            names.map((name) => (
              <tr key={name}>
                <th scope="row">
                  <bdi>{visible(name)}</bdi>
                </th>
                <SourceCells
                  name={name}
                  tables={tables.filter(({ dataSource }) => dataSource === name)}
                  isCut={data.nextCursor !== null}
                />
                <td className="number">
                  {countText(failed.filter(({ dataSourceId }) => dataSourceId === name).length)}
                </td>
              </tr>
            ))}
        </tbody>
      </ScrolledTable>
    </Section>
  );
}

interface SourceCellsProps {
  readonly name: string;
  readonly tables: readonly Table[];
  /** True if the service has more tables than the page has read. */
  readonly isCut: boolean;
}

function SourceCells({ name, tables, isCut }: SourceCellsProps) {
  const isListed = tables.length > 0;
  // The list of all sources leaves out one that cannot be read; a call that names it has the reason.
  const { error, data } = useMethod(
    listTablesOptions,
    { dataSource: name, limit: 1 },
    { enabled: !isListed, staleTime: 0, refetchInterval: REFRESH_MS },
  );
  const provider = tables[0]?.dataProvider ?? data?.tables[0]?.dataProvider ?? "";
  return (
    <>
      <td>
        <bdi>{visible(provider)}</bdi>
      </td>
      <td className={error === null ? "" : "failure"}>{stateText(isListed, data !== undefined, error)}</td>
      <td className="number">{`${countText(tables.length)}${isCut ? " or more" : ""}`}</td>
    </>
  );
}

function stateText(isListed: boolean, isAnswered: boolean, error: Error | null): string {
  if (isListed || isAnswered) return "Answers";
  return error === null ? "Checking…" : error.message;
}
