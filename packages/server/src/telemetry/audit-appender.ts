import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "@quern/query-run/record";
import { openFileLock } from "../common/file-lock.ts";
import { giveToOwner } from "../common/file-owner.ts";
import { type ChainHead, chainedLine, dayOf, emptyChain, headOf } from "./audit-chain.ts";
import { auditLockFile, closeCurrentFile, closedFiles, currentFile } from "./audit-files.ts";

/** Appends chained lines to the audit files of a data directory. Several processes may append at the same time. */
export interface AuditAppender {
  append(event: object, now: Instant): void;
  /** Opens the current file for writing. @throws if it cannot be written */
  prepare(): void;
  close(): void;
}

/** Size of a line or file, with the day (UTC) of the line or of the first line of the file. */
interface Extent {
  readonly bytes: number;
  readonly day: string;
}

export interface AuditAppenderOptions {
  /** Returns whether the current file is closed before a line is appended to it. @default never */
  readonly isFull?: (file: Extent, line: Extent) => boolean;
  /**
   * Called with each line that this process appends, and before it with the lines that other processes have appended
   * since its last one.
   */
  readonly onLine?: (line: string) => void;
}

/** Current file, as this process knows it. */
interface OpenFile {
  readonly descriptor: number;
  readonly inode: number;
  /** Day of the first line. */
  day: string;
  bytes: number;
}

export function openAuditAppender(
  dataDir: string,
  { isFull = () => false, onLine }: AuditAppenderOptions = {},
): AuditAppender {
  const path = join(dataDir, currentFile);
  const lock = openFileLock(join(dataDir, auditLockFile));
  let file: OpenFile | undefined;
  let head: ChainHead = emptyChain;

  /** Opens the current file, and finds the line to continue: its last one, or that of the newest closed file. */
  function open(today: string): OpenFile {
    const descriptor = openSync(path, "a+", 0o600);
    giveToOwner(path);
    const bytes = removeIncompleteLine(descriptor);
    if (bytes > 0) head = headOf(lastLine(descriptor, bytes));
    else if (head.hash === null) head = headOfClosed(closedFiles(dataDir));
    const { ino: inode } = fstatSync(descriptor);
    return { descriptor, inode, bytes, day: (bytes > 0 ? dayOf(firstLine(descriptor, bytes)) : undefined) ?? today };
  }

  /** Brings the known state up to date: another process may have appended lines, or renamed or truncated the file. */
  function refresh(today: string): OpenFile {
    const found = statSync(path, { throwIfNoEntry: false });
    if (file !== undefined && found?.ino === file.inode && found.size === file.bytes) return file;
    if (file === undefined) return open(today);
    const { descriptor, inode, bytes } = file;
    const isReplaced = found?.ino !== inode;
    // Another process may have appended lines before it closed the file, which this process still has open.
    if (isReplaced) report(descriptor, bytes, fstatSync(descriptor).size);
    close();
    const opened = open(today);
    report(opened.descriptor, isReplaced ? 0 : bytes, opened.bytes);
    return opened;
  }

  function report(descriptor: number, start: number, end: number): void {
    if (end > start) for (const line of linesBetween(descriptor, start, end)) onLine?.(line);
  }

  function close(): void {
    if (file !== undefined) closeSync(file.descriptor);
    file = undefined;
  }

  function append(event: object, day: string): void {
    file = refresh(day);
    let line = chainedLine(event, head);
    const bytes = Buffer.byteLength(line) + 1;
    if (file.bytes > 0 && isFull(file, { bytes, day })) {
      const { day: firstDay } = file;
      close();
      closeCurrentFile(dataDir, firstDay);
      file = open(day);
      line = chainedLine(event, head);
    }
    if (file.bytes === 0) file.day = day;
    writeWhole(file, `${line}\n`);
    head = headOf(line);
    onLine?.(line);
  }

  return {
    prepare() {
      lock.hold(() => {
        closeSync(openSync(path, "a", 0o600));
        giveToOwner(path);
      });
    },
    append: (event, now) => lock.hold(() => append(event, new Date(now).toISOString().slice(0, 10))),
    close() {
      close();
      lock.close();
    },
  };
}

/** Writes a line, or nothing: on an error, such as a full disk, removes the part that was written. */
function writeWhole(file: OpenFile, text: string): void {
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file.descriptor, bytes, at);
  } catch (error) {
    try {
      ftruncateSync(file.descriptor, file.bytes);
    } catch {
      // The next line removes the incomplete one. The first error tells the operator more.
    }
    throw error;
  }
  file.bytes += bytes.length;
}

/**
 * Removes a last line without a line break, which a crash has left; its call was not answered.
 * @returns the size of the file
 */
function removeIncompleteLine(descriptor: number): number {
  const { size } = fstatSync(descriptor);
  const end = lineBreakBefore(descriptor, size) + 1;
  if (end < size) ftruncateSync(descriptor, end);
  return end;
}

function headOfClosed(paths: readonly string[]): ChainHead {
  const path = paths.at(-1);
  if (path === undefined) return emptyChain;
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    return size === 0 ? headOfClosed(paths.slice(0, -1)) : headOf(lastLine(descriptor, size));
  } finally {
    closeSync(descriptor);
  }
}

/** @param end position after the line break of the line */
function lastLine(descriptor: number, end: number): string {
  return textBetween(descriptor, lineBreakBefore(descriptor, end - 1) + 1, end - 1);
}

function firstLine(descriptor: number, end: number): string {
  const text = textBetween(descriptor, 0, Math.min(end, chunkBytes));
  return text.slice(0, text.indexOf("\n"));
}

function linesBetween(descriptor: number, start: number, end: number): readonly string[] {
  return textBetween(descriptor, start, end - 1).split("\n");
}

const chunkBytes = 65_536;

/** Returns the position of the last line break before `end`; -1 if there is none. */
function lineBreakBefore(descriptor: number, end: number): number {
  for (let chunkEnd = end; chunkEnd > 0; chunkEnd -= chunkBytes) {
    const start = Math.max(chunkEnd - chunkBytes, 0);
    const at = bytesBetween(descriptor, start, chunkEnd).lastIndexOf(0x0a);
    if (at >= 0) return start + at;
  }
  return -1;
}

function textBetween(descriptor: number, start: number, end: number): string {
  return bytesBetween(descriptor, start, end).toString("utf8");
}

function bytesBetween(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start));
}
