// The app's diagnostic log: one JSON line per event, without secrets. Must never trouble the agent it watches.
import { closeSync, openSync, writeSync } from 'node:fs';
import { messageOf } from '../../base/fault.ts';
import { isRecord, toJson } from '../../base/json.ts';
import { createRedactor, REDACTED } from '../../base/redaction.ts';
import type { Clock, Log } from '../../contracts/ports.ts';

const SECRET_NAME = /key|token|secret|authorization|password/i;
const DEEPEST = 8;

export interface DiagnosticLog {
  readonly log: Log;
  /** From now on this value is struck out wherever it appears. */
  redact(secret: string): void;
  close(): void;
}

export interface LogOptions {
  file: string;
  clock: Pick<Clock, 'now'>;
  /** Hears once that the log cannot be written. */
  warn?: ((sentence: string) => void) | undefined;
}

export function createLog({ file, clock, warn = () => {} }: LogOptions): DiagnosticLog {
  let fd: number | undefined;
  const secrets = new Set<string>();
  const clean = cleaner(secrets);
  let complained = false;
  return {
    log(event, facts = {}) {
      try {
        const stamp = { time: new Date(clock.now()).toISOString(), event: clean(event) };
        const line = toJson({ ...stamp, ...cleanRecord(facts, clean), ...stamp });
        // Written at once: the last lines before a crash are the ones somebody will look for.
        fd ??= openSync(file, 'a', 0o600);
        writeSync(fd, `${line}\n`);
      } catch (thrown) {
        // A full disk, a missing directory or a strange fact costs the line, not the agent.
        if (!complained) warn(`Cannot write the log ${file}: ${messageOf(thrown)}`);
        complained = true;
      }
    },
    redact: (secret) => void secrets.add(secret),
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

type Clean = (value: unknown, depth?: number) => unknown;

function cleaner(secrets: ReadonlySet<string>): Clean {
  const strike = createRedactor(secrets);
  const clean: Clean = (value, depth = 0) => {
    if (typeof value === 'string') return strike(value);
    if (typeof value === 'bigint' || typeof value === 'symbol') return strike(String(value));
    if (typeof value !== 'object' || value === null) return value;
    // Also where a circle of references ends.
    if (depth >= DEEPEST) return '…';
    if (value instanceof Error)
      return clean({ name: value.name, message: value.message, stack: value.stack }, depth + 1);
    if ('toJSON' in value && typeof value.toJSON === 'function') return clean(value.toJSON(), depth + 1);
    if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
    if (isRecord(value)) return cleanRecord(value, (field) => clean(field, depth + 1));
    return undefined;
  };
  return clean;
}

function cleanRecord(record: Record<string, unknown>, clean: Clean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [clean(name), SECRET_NAME.test(name) ? REDACTED : clean(value)]),
  );
}
