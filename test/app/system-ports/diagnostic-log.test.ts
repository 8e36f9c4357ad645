import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDiagnosticLog } from '../../../src/app/system-ports/diagnostic-log.ts';
import type { Clock } from '../../../src/contracts/ports.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const clock = { now: () => Date.UTC(2026, 0, 2) } as Clock;

function openLog() {
  const file = join(createTemporaryDirectory(), 'parley.log');
  const lines = () =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { file, lines, ...createDiagnosticLog({ file, clock }) };
}

test('every event is one line with a timestamp, in a file with mode 600', () => {
  const { file, log, lines, close } = openLog();
  log('start');
  log('request', { url: 'http://x', status: 200, nested: { list: [1, null, true] } });
  close();
  expect(lines()).toEqual([
    { time: '2026-01-02T00:00:00.000Z', event: 'start' },
    {
      time: '2026-01-02T00:00:00.000Z',
      event: 'request',
      url: 'http://x',
      status: 200,
      nested: { list: [1, null, true] },
    },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a field cannot overwrite the time or the event name', () => {
  const { log, lines } = openLog();
  log('real', { event: 'false', time: 'false' });
  expect(lines()).toEqual([{ time: '2026-01-02T00:00:00.000Z', event: 'real' }]);
});

test('values of fields with secret names are redacted at any depth', () => {
  const { file, log } = openLog();
  const canary = 'canary-value';
  log('x', {
    apiKey: canary,
    headers: { Authorization: `Bearer ${canary}`, 'x-api-key': canary },
    list: [{ password: canary }],
  });
  log('x', { client_secret: { deep: canary }, accessToken: [canary] });
  expect(readFileSync(file, 'utf8')).not.toContain('canary');
});

test('a registered secret is redacted everywhere, also with quotes', () => {
  const { file, log, redact } = openLog();
  const secrets = ['sk-1234567', 'sk-1234567-and-more', 'with "quotes" and \\'];
  for (const secret of secrets) redact(secret);
  for (const secret of secrets) {
    log(`event ${secret}`, { note: `before ${secret} after`, [secret]: 1, error: new Error(`401 for ${secret}`) });
    log('url', { url: new URL(`http://host/?q=${secret}`), list: [[secret]] });
  }
  const written = readFileSync(file, 'utf8');
  expect(written).not.toMatch(/sk-1234567|and-more|\\"quotes\\"/);
  expect(written).toContain('before [redacted] after');
});

test('a value that cannot be serialized loses at most its line', () => {
  const { log, lines } = openLog();
  const circle: Record<string, unknown> = { name: 'circle' };
  circle.self = circle;
  log('circle', circle);
  log('odd', {
    big: 10n,
    when: new Date(0),
    none: undefined,
    act: () => {},
    sign: Symbol('s'),
    error: new Error('why'),
  });
  log('throws', {
    get fact() {
      throw new Error('no');
    },
  });
  expect(lines()).toEqual([
    expect.objectContaining({ event: 'circle', name: 'circle' }),
    expect.objectContaining({
      event: 'odd',
      big: '10',
      when: '1970-01-01T00:00:00.000Z',
      sign: 'Symbol(s)',
      error: expect.objectContaining({ name: 'Error', message: 'why' }),
    }),
  ]);
});

test('a log that cannot be written causes one warning and no error', () => {
  const warnings: string[] = [];
  const unwritable = createDiagnosticLog({
    file: '/no/such/directory/parley.log',
    clock,
    warn: (line) => warnings.push(line),
  });
  unwritable.log('lost');
  unwritable.log('lost again');
  unwritable.close();
  expect(warnings).toEqual([expect.stringMatching(/^Cannot write the log \/no\/such\/directory\/parley\.log: ENOENT/)]);
});
