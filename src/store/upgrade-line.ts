// Upgrades one line of an old session file. Version 1 had no parent links, version 2 another role for custom messages.
import { isRecord, toJson } from '../base/json.ts';
import type { RawLine } from './raw-line.ts';

export interface UpgradedLine {
  /** The line for the new file; absent when the line is not usable. */
  readonly line?: string | Buffer;
  readonly problem?: string;
}

/** The lines must be passed in file order. */
export function createLineUpgrader(version: number): (line: RawLine) => UpgradedLine {
  return version === 1 ? createVersion1Upgrader() : upgradeVersion2Line;
}

/**
 * Version 1 was a plain list: the parent of each entry is the one before it. Entries get their line numbers as ids, and the
 * header has number 0. So the entry index of a compaction converts to an id directly.
 */
function createVersion1Upgrader(): (line: RawLine) => UpgradedLine {
  let number = 0;
  return (line) => {
    const entry = parseOldEntry(line);
    if (!entry) return { problem: `${line.length} bytes could not be read; they remain in the backup file only` };
    if (entry.type === 'session') return {};
    number += 1;
    const { type, timestamp, id: _id, parentId: _parentId, ...rest } = entry;
    const upgraded = {
      type,
      id: formatEntryId(number),
      parentId: number === 1 ? null : formatEntryId(number - 1),
      timestamp,
      ...rest,
    };
    return {
      line: toJson(renameHookMessageRole(type === 'compaction' ? resolveFirstKeptEntry(upgraded, number) : upgraded)),
    };
  };
}

function resolveFirstKeptEntry(entry: Record<string, unknown>, number: number): Record<string, unknown> {
  const { firstKeptEntryIndex: index, ...rest } = entry;
  if (typeof rest.firstKeptEntryId === 'string') return rest;
  const isEntry = typeof index === 'number' && Number.isInteger(index) && index > 0 && index < number;
  // An invalid index keeps nothing.
  return { ...rest, firstKeptEntryId: formatEntryId(isEntry ? (index as number) : number) };
}

/** Unreadable lines are kept: readers skip them, and their children still refer to them. */
function upgradeVersion2Line(line: RawLine): UpgradedLine {
  if (line.bytes === undefined) return { problem: `a line of ${line.length} bytes remains in the backup file only` };
  if (!line.bytes.includes('"hookMessage"')) return { line: line.bytes };
  const entry = parseOldEntry(line);
  return { line: entry ? toJson(renameHookMessageRole(entry)) : line.bytes };
}

function renameHookMessageRole(entry: Record<string, unknown>): Record<string, unknown> {
  const { message } = entry;
  if (!isRecord(message) || message.role !== 'hookMessage') return entry;
  return { ...entry, message: { ...message, role: 'custom' } };
}

function parseOldEntry({ bytes }: RawLine): (Record<string, unknown> & { type: string }) | undefined {
  try {
    const value: unknown = JSON.parse(bytes?.toString('utf8') ?? '');
    return isRecord(value) && typeof value.type === 'string'
      ? (value as Record<string, unknown> & { type: string })
      : undefined;
  } catch {
    return undefined;
  }
}

function formatEntryId(number: number): string {
  return number.toString(16).padStart(8, '0');
}
