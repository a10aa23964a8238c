import type { QuernError } from "@quern/client";
import { type ReactNode, useId } from "react";

interface ScrolledTableProps {
  readonly caption: string;
  readonly children: ReactNode;
}

/** A table that scrolls sideways if it is wider than the page, also by the keyboard. */
export function ScrolledTable({ caption, children }: ScrolledTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must have the focus to scroll by the keyboard
    <section className="scrolled" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        {children}
      </table>
    </section>
  );
}

interface SectionProps {
  readonly title: string;
  /** Time of the last answer in milliseconds; 0 before the first. */
  readonly updatedAt: number;
  readonly error: QuernError | null;
  readonly children: ReactNode;
}

/** A part of the operation page, with the time of its figures and the failure of the last refresh. */
export function Section({ title, updatedAt, error, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <span className="quiet">{updatedAt === 0 ? "Reading…" : `at ${new Date(updatedAt).toLocaleTimeString()}`}</span>
        {error !== null && (
          <span role="alert" className="failure">
            {`Cannot refresh: ${error.message}`}
          </span>
        )}
      </header>
      {children}
    </section>
  );
}
