import type { GetQueryRunResultsResult, QuernError } from "@quern/client";
import { getQueryRunResultsOptions, useClient } from "@quern/react";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { GridView } from "./grid-view.ts";

export type Row = readonly unknown[];

interface GridPages {
  /** Columns and the number of rows; undefined until the first page has arrived. */
  readonly head: GetQueryRunResultsResult | undefined;
  readonly error: QuernError | null;
  /** Returns a row, or undefined while it is fetched. */
  rowAt(index: number): Row | undefined;
}

/** Values in a page. A page of a wide result has fewer rows. */
const PAGE_VALUES = 12_000;
const MAX_PAGE_ROWS = 400;
/** Pages that are no longer shown stay in memory for this time, in milliseconds. */
const KEPT_MS = 10_000;
/** Requests wait until the rows have rested for this time, in milliseconds, so that a drag over millions of rows fetches few pages. */
const REST_MS = 60;

/** Reads the pages that have the rows from `first` up to `end`. */
export function useGridPages(
  queryRunId: string,
  columnCount: number | undefined,
  view: GridView,
  range: { readonly first: number; readonly end: number },
): GridPages {
  const client = useClient();
  const wanted = Math.max(10, Math.min(MAX_PAGE_ROWS, Math.floor(PAGE_VALUES / Math.max(1, columnCount ?? 100))));
  const [size, setSize] = useState(wanted);
  const rested = useRested(range);
  const optionsOf = (number: number) => ({
    ...getQueryRunResultsOptions(client, {
      queryRunId,
      page: { number, size },
      ...(view.sortBy.length > 0 && { sortBy: view.sortBy }),
      ...(view.filters.length > 0 && { filters: view.filters }),
    }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
  });
  // The grid needs the number of rows also while the first page is not shown.
  const head = useQuery({ ...optionsOf(1), placeholderData: keepPreviousData });
  const firstPage = Math.floor(rested.first / size) + 1;
  const lastPage = Math.max(firstPage, Math.ceil(rested.end / size));
  const numbers = Array.from({ length: lastPage - firstPage + 1 }, (_, index) => firstPage + index);
  const pages = useQueries({ queries: numbers.map(optionsOf) });

  const error = pages.find((page) => page.error !== null)?.error ?? head.error;
  const fitting = fittingSize(error);
  useEffect(() => {
    if (fitting !== undefined && fitting < size) setSize(fitting);
  }, [fitting, size]);

  return {
    head: head.data,
    error: fitting === undefined ? error : null,
    rowAt(index) {
      const number = Math.floor(index / size) + 1;
      const rows = (number === 1 && !head.isPlaceholderData ? head : pages[number - firstPage])?.data?.rows;
      const row = rows?.[index % size];
      return Array.isArray(row) ? row : undefined;
    },
  };
}

/** Returns the page size that the service proposes after it has refused a page as too large. */
function fittingSize(error: QuernError | null | undefined): number | undefined {
  const { maxPageSize } = Object(error?.code === -32170 ? error?.data : undefined);
  return typeof maxPageSize === "number" ? maxPageSize : undefined;
}

function useRested<Range extends { readonly first: number; readonly end: number }>(range: Range): Range {
  const { first, end } = range;
  const [rested, setRested] = useState(range);
  useEffect(() => {
    if (rested.first === first && rested.end === end) return;
    const timer = setTimeout(() => setRested({ ...range }), REST_MS);
    return () => clearTimeout(timer);
  });
  return rested;
}
