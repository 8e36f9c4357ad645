// Diagnostic log: one JSON line per event, with secrets redacted. An error while logging must not affect the agent.
import { closeSync, openSync, writeSync } from 'node:fs';
import { getErrorMessage } from '../../base/fault.ts';
import { isRecord, toJson } from '../../base/json.ts';
import { createRedactor, REDACTED } from '../../base/redaction.ts';
import type { Clock, Log } from '../../contracts/ports.ts';

const SECRET_NAME = /key|token|secret|authorization|password/i;
const MAX_DEPTH = 8;

export interface DiagnosticLog {
  readonly log: Log;
  /** From now on this value is redacted in all lines. */
  redact(secret: string): void;
  close(): void;
}

export interface DiagnosticLogOptions {
  file: string;
  clock: Pick<Clock, 'now'>;
  /** Called once when the log cannot be written. */
  warn?: ((sentence: string) => void) | undefined;
}

export function createDiagnosticLog({ file, clock, warn = () => {} }: DiagnosticLogOptions): DiagnosticLog {
  let fd: number | undefined;
  const secrets = new Set<string>();
  const clean = createCleaner(secrets);
  let hasWarned = false;
  return {
    log(event, facts = {}) {
      try {
        const stamp = { time: new Date(clock.now()).toISOString(), event: clean(event) };
        const line = toJson({ ...stamp, ...cleanRecord(facts, clean), ...stamp });
        // Written synchronously: the last lines before a crash are the most useful ones.
        fd ??= openSync(file, 'a', 0o600);
        writeSync(fd, `${line}\n`);
      } catch (thrown) {
        // On a full disk, a missing directory or an unusual value only this line is lost.
        if (!hasWarned) warn(`Cannot write the log ${file}: ${getErrorMessage(thrown)}`);
        hasWarned = true;
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

function createCleaner(secrets: ReadonlySet<string>): Clean {
  const redact = createRedactor(secrets);
  const clean: Clean = (value, depth = 0) => {
    if (typeof value === 'string') return redact(value);
    if (typeof value === 'bigint' || typeof value === 'symbol') return redact(String(value));
    if (typeof value !== 'object' || value === null) return value;
    // Also ends circular references.
    if (depth >= MAX_DEPTH) return '…';
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
