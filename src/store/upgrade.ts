// The store's translation of one old line: version 1 had no tree, version 2 another word for custom messages. Pure.
import { isRecord, toJson } from '../base/json.ts';
import type { RawLine } from './line.ts';

export interface Upgraded {
  /** What stands in the new file; absent when nothing of the line could be used. */
  readonly line?: string | Buffer;
  readonly problem?: string;
}

/** Lines must be given in the order in which they stand. */
export function createUpgrade(version: number): (line: RawLine) => Upgraded {
  return version === 1 ? fromFirst() : fromSecond;
}

/**
 * The first version was a plain list: each entry follows the one before it. Entries get their numbers as ids, the header
 * being number 0, so that a compaction's index into the list leads to the id without another look.
 */
function fromFirst(): (line: RawLine) => Upgraded {
  let number = 0;
  return (line) => {
    const entry = entryIn(line);
    if (!entry) return { problem: `${line.length} bytes could not be read and are only in the copy` };
    if (entry.type === 'session') return {};
    number += 1;
    const { type, timestamp, id: _id, parentId: _parentId, ...rest } = entry;
    const placed = { type, id: idOf(number), parentId: number === 1 ? null : idOf(number - 1), timestamp, ...rest };
    return { line: toJson(inNewWords(type === 'compaction' ? withId(placed, number) : placed)) };
  };
}

function withId(entry: Record<string, unknown>, number: number): Record<string, unknown> {
  const { firstKeptEntryIndex: index, ...rest } = entry;
  if (typeof rest.firstKeptEntryId === 'string') return rest;
  const isEntry = typeof index === 'number' && Number.isInteger(index) && index > 0 && index < number;
  // An index that leads nowhere kept nothing.
  return { ...rest, firstKeptEntryId: idOf(isEntry ? (index as number) : number) };
}

/** What cannot be read stays: readers pass over it, and its children still hang on it. */
function fromSecond(line: RawLine): Upgraded {
  if (line.bytes === undefined) return { problem: `a line of ${line.length} bytes is only in the copy` };
  if (!line.bytes.includes('"hookMessage"')) return { line: line.bytes };
  const entry = entryIn(line);
  return { line: entry ? toJson(inNewWords(entry)) : line.bytes };
}

function inNewWords(entry: Record<string, unknown>): Record<string, unknown> {
  const { message } = entry;
  if (!isRecord(message) || message.role !== 'hookMessage') return entry;
  return { ...entry, message: { ...message, role: 'custom' } };
}

function entryIn({ bytes }: RawLine): (Record<string, unknown> & { type: string }) | undefined {
  try {
    const value: unknown = JSON.parse(bytes?.toString('utf8') ?? '');
    return isRecord(value) && typeof value.type === 'string'
      ? (value as Record<string, unknown> & { type: string })
      : undefined;
  } catch {
    return undefined;
  }
}

function idOf(number: number): string {
  return number.toString(16).padStart(8, '0');
}
