/** Statement that an error is about. */
export interface ErrorPlace {
  readonly sql: string;
  /** Line of the script on which the statement begins, from 1. */
  readonly line: number;
  /** Name of the script. */
  readonly file?: string | undefined;
}

const places = new WeakMap<object, ErrorPlace>();

/** Notes the statement of an error, unless a caller has noted it. */
export function notePlace(error: unknown, place: ErrorPlace): void {
  if (error instanceof Error && !places.has(error)) places.set(error, place);
}

export function placeOf(error: unknown): ErrorPlace | undefined {
  return error instanceof Error ? places.get(error) : undefined;
}

/** Members of a failure of the engine that tell its position. */
interface PlacedError {
  message: string;
  data?: { readonly position?: number; readonly column?: number; readonly line?: number };
}

/** Moves the place of an error from a statement with words before that of the caller to that of the caller. */
export function movePlace(error: unknown, added: number): void {
  if (added === 0 || !(error instanceof Error)) return;
  const { message, data }: PlacedError = error;
  const moved = (at: number, least: number) => Math.max(least, at - added);
  const isFirstLine = data?.line === undefined || data.line === 1;
  const text = message.replace(
    /\(line 1, column (\d+)\)/,
    (_, column) => `(line 1, column ${moved(Number(column), 1)})`,
  );
  Object.assign(error, {
    message: text,
    ...(data && {
      data: {
        ...data,
        ...(data.position !== undefined && { position: moved(data.position, 0) }),
        ...(data.column !== undefined && isFirstLine && { column: moved(data.column, 1) }),
      },
    }),
  });
}
