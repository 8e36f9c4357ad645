import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from '../../../src/app/system-ports/log.ts';
import type { Clock } from '../../../src/contracts/ports.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const clock = { now: () => Date.UTC(2026, 0, 2) } as Clock;

function open() {
  const file = join(temporaryDirectory(), 'parley.log');
  const lines = () =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { file, lines, ...createLog({ file, clock }) };
}

test('every event is one line with its time, in a file for its owner only', () => {
  const { file, log, lines, close } = open();
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

test('a fact cannot pass for the time or the event', () => {
  const { log, lines } = open();
  log('real', { event: 'false', time: 'false' });
  expect(lines()).toEqual([{ time: '2026-01-02T00:00:00.000Z', event: 'real' }]);
});

test('values under telling names are struck out, at any depth', () => {
  const { file, log } = open();
  const canary = 'canary-value';
  log('x', {
    apiKey: canary,
    headers: { Authorization: `Bearer ${canary}`, 'x-api-key': canary },
    list: [{ password: canary }],
  });
  log('x', { client_secret: { deep: canary }, accessToken: [canary] });
  expect(readFileSync(file, 'utf8')).not.toContain('canary');
});

test('a secret is struck out wherever it appears, quotes and all', () => {
  const { file, log, redact } = open();
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

test('strange facts cost at most their line', () => {
  const { log, lines } = open();
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

test('a log that cannot be written troubles nobody', () => {
  const said: string[] = [];
  const nowhere = createLog({ file: '/no/such/directory/parley.log', clock, warn: (line) => said.push(line) });
  nowhere.log('lost');
  nowhere.log('lost again');
  nowhere.close();
  expect(said).toEqual([expect.stringMatching(/^Cannot write the log \/no\/such\/directory\/parley\.log: ENOENT/)]);
});
