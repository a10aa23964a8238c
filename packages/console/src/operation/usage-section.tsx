import type { GetUsageResult } from "@quern/client";
import { getUsageOptions, useMethod } from "@quern/react";
import type { ReactNode } from "react";
import { visible } from "../grid/cell-text.ts";
import { countText } from "../grid/count-text.ts";
import { durationText, sizeText } from "../run/run-state.ts";
import { ScrolledTable, Section } from "./section.tsx";
import { useHealth } from "./use-health.ts";

const REFRESH_MS = 10_000;

/** Health of the service, and usage of the tenant in this month, in total and by user. */
export function UsageSection() {
  const health = useHealth();
  const { data, error, dataUpdatedAt } = useMethod(
    getUsageOptions,
    { limit: 100 },
    { staleTime: 0, refetchInterval: REFRESH_MS },
  );
  return (
    <Section title="Health and usage" updatedAt={dataUpdatedAt} error={error}>
      <dl className="figures">
        <Figure name="Service">
          <span className={health?.isGood === false ? "failure" : ""}>{health?.text ?? "…"}</span>
          {health !== undefined && <span className="quiet">{` · ${durationText(health.answerMs)}`}</span>}
        </Figure>
        {data !== undefined && <Totals {...data} />}
      </dl>
      {data !== undefined && <Users {...data} />}
    </Section>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Totals(usage: GetUsageResult) {
  const { storedBytes, maxStoredBytes } = usage;
  return (
    <>
      <Figure name="Running">{countText(usage.runningRuns)}</Figure>
      <Figure name="Queued">{countText(usage.queuedRuns)}</Figure>
      <Figure name="Stored results">
        {sizeText(storedBytes)}
        <span className="quiet">{maxStoredBytes === null ? " · no limit" : ` of ${sizeText(maxStoredBytes)}`}</span>
        {maxStoredBytes !== null && <meter value={storedBytes} max={maxStoredBytes} aria-label="Stored results" />}
      </Figure>
      <Figure name={`Execution in ${usage.month}`}>{durationText(usage.execSeconds * 1000)}</Figure>
      <Figure name="Budget of each user">
        {usage.monthlyExecSeconds === null ? "No limit" : durationText(usage.monthlyExecSeconds * 1000)}
        <span className="quiet">{` · counts until ${new Date(usage.resetsAt).toLocaleString()}`}</span>
      </Figure>
      <Figure name="Runs">{countText(usage.runs)}</Figure>
      <Figure name="Rows">{countText(usage.rows)}</Figure>
      <Figure name="Read">{sizeText(usage.bytesRead)}</Figure>
    </>
  );
}

function Users({ users, usersLeftOut, month }: GetUsageResult) {
  return (
    <>
      <ScrolledTable caption={`Usage by user in ${month}`}>
        <thead>
          <tr>
            <th scope="col">User</th>
            {["Running", "Queued", "Execution", "Runs", "Rows", "Read"].map((name) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.userId}>
              <th scope="row">
                <bdi>{visible(user.userId)}</bdi>
              </th>
              <td className="number">{countText(user.runningRuns)}</td>
              <td className="number">{countText(user.queuedRuns)}</td>
              <td className="number">{durationText(user.execSeconds * 1000)}</td>
              <td className="number">{countText(user.runs)}</td>
              <td className="number">{countText(user.rows)}</td>
              <td className="number">{sizeText(user.bytesRead)}</td>
            </tr>
          ))}
        </tbody>
      </ScrolledTable>
      {usersLeftOut > 0 && (
        <p className="quiet">{`${countText(usersLeftOut)} users with less execution time are not shown.`}</p>
      )}
    </>
  );
}
