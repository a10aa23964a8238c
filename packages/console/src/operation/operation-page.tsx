import { LimitsSection } from "./limits-section.tsx";
import type { RunActions } from "./run-row.tsx";
import { RunsSection } from "./runs-section.tsx";
import { SourcesSection } from "./sources-section.tsx";
import { UsageSection } from "./usage-section.tsx";
import "./operation.css";

/** State of the service for a tenant, for a caller with the scope `tenant:admin`. Changes nothing but to cancel runs. */
export function OperationPage({ onOpen }: RunActions) {
  return (
    <div className="operation">
      <UsageSection />
      <RunsSection onOpen={onOpen} />
      <SourcesSection />
      <LimitsSection />
    </div>
  );
}
