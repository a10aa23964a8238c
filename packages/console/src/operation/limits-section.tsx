import type { Limit } from "@quern/client";
import { getLimitsOptions, useMethod } from "@quern/react";
import { countText } from "../grid/count-text.ts";
import { sizeText } from "../run/run-state.ts";
import { ScrolledTable, Section } from "./section.tsx";

const REFRESH_MS = 60_000;

/** Limits in effect for the tenant, those that are set first. */
export function LimitsSection() {
  const { data, error, dataUpdatedAt } = useMethod(getLimitsOptions, {}, { staleTime: 0, refetchInterval: REFRESH_MS });
  const limits = [...(data?.limits ?? [])].sort((a, b) => rank(a) - rank(b));
  return (
    <Section title="Limits" updatedAt={dataUpdatedAt} error={error}>
      <ScrolledTable caption="Limits in effect; administrators of the service change them">
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col" className="number">
              Value
            </th>
            <th scope="col">Set by</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {limits.map((limit) => (
            <tr key={limit.name}>
              <th scope="row">
                <code>{limit.name}</code>
              </th>
              <td className="number">{valueText(limit)}</td>
              <td>{limit.origin}</td>
              <td className="meaning">{limit.description.replaceAll("`", "")}</td>
            </tr>
          ))}
        </tbody>
      </ScrolledTable>
    </Section>
  );
}

const rank = ({ origin }: Limit): number => ["tenant", "service"].indexOf(origin) >>> 0;

function valueText({ value, unit }: Limit): string {
  if (value === null) return "none";
  if (unit === "bytes") return sizeText(value);
  return `${countText(value)} ${value === 1 ? unit.replace(/s$/, "") : unit}`;
}
