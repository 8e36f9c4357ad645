// The summary of a session that is stored in its row, so that lists read no entries.

import { isRecord, toJson, tryParseJson } from '../../base/json.ts';
import { LF } from '../../base/line-splitter.ts';
import type { SessionHeader } from '../../protocol/session-entry.ts';
import { isRunOpenAfterLine } from '../is-log-interrupted.ts';
import { getTitle } from '../session-header.ts';
import { SessionCounter } from '../summarize-session.ts';
import type { ContentCipher, StoredContent } from './content-cipher.ts';
import type { SessionKey } from './entry-rows.ts';

export interface SummaryState {
  readonly messages: number;
  readonly cost: number;
  readonly interrupted: boolean;
  readonly details: SessionDetails;
}

/** The parts of a summary that contain text of the conversation. */
export interface SessionDetails {
  readonly name?: string;
  readonly opening?: string;
  readonly parentSession?: string;
}

export const EMPTY_SUMMARY: SummaryState = { messages: 0, cost: 0, interrupted: false, details: {} };

/** The summary of a log without entries. */
export function summarizeHeader(header: SessionHeader): SummaryState {
  const { parentSession } = header;
  const name = getTitle(header);
  const details = { ...(typeof parentSession === 'string' ? { parentSession } : {}), ...(name ? { name } : {}) };
  return { ...EMPTY_SUMMARY, details };
}

/** Returns the summary after the lines of a block were added. */
export function addLines(summary: SummaryState, block: Buffer): SummaryState {
  const { details } = summary;
  const counter = new SessionCounter(summary.messages, summary.cost, details.name, details.opening);
  let interrupted = summary.interrupted;
  for (let start = 0; start < block.length; ) {
    const at = block.indexOf(LF, start);
    const end = at < 0 ? block.length : at;
    const line = { start, length: end - start, bytes: block.subarray(start, end) };
    start = end + 1;
    if (line.length === 0) continue;
    counter.add(line);
    interrupted = isRunOpenAfterLine(line) ?? interrupted;
  }
  const { messages, cost, name, opening } = counter;
  return {
    ...{ messages, cost, interrupted },
    details: {
      ...(details.parentSession === undefined ? {} : { parentSession: details.parentSession }),
      ...(name === undefined ? {} : { name }),
      ...(opening === undefined ? {} : { opening }),
    },
  };
}

export function encodeDetails(cipher: ContentCipher, session: SessionKey, details: SessionDetails): Uint8Array {
  return cipher.encrypt(Buffer.from(toJson(details)), getDetailsPlace(session));
}

export function decodeDetails(cipher: ContentCipher, session: SessionKey, stored: StoredContent): SessionDetails {
  return parseDetails(cipher.decrypt(stored, getDetailsPlace(session)).toString('utf8'));
}

export function parseDetails(text: string): SessionDetails {
  const value = tryParseJson(text);
  return isRecord(value) ? (value as SessionDetails) : {};
}

export function getHeaderPlace({ tenant, id }: SessionKey): string {
  return JSON.stringify(['header', tenant, id]);
}

function getDetailsPlace({ tenant, id }: SessionKey): string {
  return JSON.stringify(['details', tenant, id]);
}
