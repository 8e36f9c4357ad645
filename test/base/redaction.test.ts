// Secrets are redacted in every encoding, complete or truncated.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, REDACTED, redact, redactExcerpt } from '../../src/base/redaction.ts';

const KEYS = {
  plain: 'sk-proj-4f81c2d39aa07be6',
  quote: 'sk-a"b\'c-4f81c2d39aa0',
  slash: 'ab/cd//ef/4f81c2d39aa0',
  plus: 'ab+cd++ef+4f81c2d39aa0',
  percent: 'ab%cd%41ef%4f81c2d39aa0%',
  space: 'ab cd  ef 4f81c2d39aa0',
  backslash: 'ab\\cd\\\\ef4f81c2d39\\u0041\\naa0',
  unicode: 'schlüssel-🔑-4f81c2d39aa0',
  long: `sk-${'4f81c2d39aa07be6'.repeat(300)}`,
  short: 'k9x2',
  base64: 'c2stYW50LWFwaTAzLTRmODFjMmQzOWFhMDdiZTY+/w==',
  markup: 'a<b>&c;d-4f81c2d39aa0',
};

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const toEscapes = (text: string, digits: (hex: string) => string) =>
  text
    .split('')
    .map((char) => `\\u${digits(char.charCodeAt(0).toString(16).padStart(4, '0'))}`)
    .join('');
const toPercentBytes = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const html = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

const FORMS: Record<string, (key: string) => string> = {
  raw: (key) => key,
  json,
  'json in json': (key) => json(json(key)),
  'json in json in json': (key) => json(json(json(key))),
  'json with escaped slashes': (key) => json(key).replaceAll('/', '\\/'),
  'json as ASCII': (key) => json(key).replace(/[^ -~]/g, (char) => toEscapes(char, (hex) => hex)),
  'json, all escaped': (key) => toEscapes(key, (hex) => hex.toUpperCase()),
  'json that escapes like .NET': (key) =>
    json(key).replace(/[+"'&<>]/g, (char) => toEscapes(char, (hex) => hex.toUpperCase())),
  component: encodeURIComponent,
  'component, lower case': (key) => encodeURIComponent(key).replace(/%../g, (hex) => hex.toLowerCase()),
  'component, twice': (key) => encodeURIComponent(encodeURIComponent(key)),
  'every byte': toPercentBytes,
  form: (key) => new URLSearchParams({ k: key }).toString().slice(2),
  'form in json': (key) => json(new URLSearchParams({ k: key }).toString().slice(2)),
  html,
  base64: (key) => Buffer.from(key).toString('base64'),
  'base64 without padding': (key) => Buffer.from(key).toString('base64').replaceAll('=', ''),
  base64url: (key) => Buffer.from(key).toString('base64url'),
  'basic authorization': (key) => Buffer.from(`user:${key}`).toString('base64'),
  'basic authorization, shifted by one': (key) => Buffer.from(`a:${key}`).toString('base64'),
  'basic authorization, shifted by two': (key) => Buffer.from(`:${key}:x`).toString('base64'),
  'base64 in a component': (key) => encodeURIComponent(Buffer.from(key).toString('base64')),
};

describe.each(Object.entries(KEYS))('a %s key', (_, key) => {
  test.each(Object.entries(FORMS))('written as %s', (_form, write) => {
    const text = `{"message":"bad key ${write(key)}, try again"}`;
    const clean = redact(text, [key]);
    expect(clean).toMatch(/^\{"message":"bad key \[redacted\]/);
    expect(clean).toMatch(/, try again"\}$/);
    expect(clean.length).toBeLessThan(70);
  });
});

describe.each(Object.entries(KEYS).filter(([, key]) => key.length >= 16))('a truncated %s key', (_, key) => {
  test.each(['raw', 'json', 'component', 'form'])('cut at any position, written as %s', (form) => {
    const write = FORMS[form] ?? String;
    const whole = `bad key ${write(key)}`;
    const step = Math.ceil(whole.length / 200);
    for (let end = 'bad key '.length; end <= whole.length; end += step) {
      const clean = redact(whole.slice(0, end), [key]);
      expect(clean).not.toContain(write(key.slice(0, 14)));
      expect(clean.length).toBeLessThan(60);
    }
  });
});

test('half of a key is redacted, from either end', () => {
  const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz';
  expect(redact(`echo ${key.slice(0, 25)}… and more`, [key])).toBe(`echo ${REDACTED}… and more`);
  expect(redact(`…${key.slice(-22)} was refused`, [key])).toBe(`…${REDACTED} was refused`);
  expect(redact(`echo ${key.slice(0, 9)}`, [key])).toBe(`echo ${REDACTED}`);
  expect(redact('Incorrect API key: sk-ant-a…wxyz. See the page', [key])).toBe(
    'Incorrect API key: sk-ant-a…wxyz. See the page',
  );
});

test('an excerpt is truncated after it is redacted', () => {
  const key = 'sk-0123456789abcdef0123456789';
  for (let before = 150; before < 200; before++) {
    const excerpt = redactExcerpt(`${'x'.repeat(before)}${key} tail`, [key], 200);
    expect(excerpt.length).toBeLessThanOrEqual(200);
    expect(excerpt).not.toContain('sk-');
  }
});

test('the longest secret is replaced first, and adjacent secrets are merged', () => {
  expect(redact('a sk-1234 sk-1234-more b', ['sk-1234', 'sk-1234-more'])).toBe('a [redacted] [redacted] b');
  expect(redact('%73k-1234%73k-1234', ['sk-1234'])).toBe(REDACTED);
});

test('the user part of a URL is redacted', () => {
  expect(redact('cannot reach https://me:pw@host/v1 (me)', [])).toBe(`cannot reach https://${REDACTED}@host/v1 (me)`);
  expect(redact('"http:\\/\\/me:p%40w@host\\/v1"', [])).toBe(`"http:\\/\\/${REDACTED}@host\\/v1"`);
  expect(redact('see https://host/@me and mail@host', [])).toBe('see https://host/@me and mail@host');
});

test('secrets that are too short are ignored; secrets can be added later', () => {
  expect(redact('abc abc', ['abc'])).toBe('abc abc');
  const secrets = new Set<string>();
  const clean = createRedactor(secrets);
  expect(clean('key-one')).toBe('key-one');
  secrets.add('key-one');
  expect(clean('key-one')).toBe(REDACTED);
});

test('a text without a secret is not changed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      fc.pre(!/:\/\/|:\\/.test(text) && !text.includes('§'));
      expect(redact(text, ['§§§§§§§§§§§§§§§§'])).toBe(text);
    }),
  );
});

test('an escape that begins with the escaped character is decoded', () => {
  expect(redact('<b>abcd&amp;efgh&amp;ijkl</b>', ['abcd&efgh&ijkl'])).toBe(`<b>${REDACTED}</b>`);
  expect(redact('?key=abcd%25efgh%25ijkl', ['abcd%efgh%ijkl'])).toBe(`?key=${REDACTED}`);
});

test('any key is redacted in any encoding', () => {
  const writers = Object.values(FORMS);
  const key = fc.string({ unit: fc.constantFrom(...'abcXYZ019"\\/+%& \'=-_<>é🔑'), minLength: 12, maxLength: 40 });
  fc.assert(
    fc.property(key, fc.nat(writers.length - 1), (secret, at) => {
      fc.pre(secret.trim() === secret && /[a-zA-Z0-9]{3}/.test(secret));
      const written = writers[at]?.(secret) ?? '';
      expect(redact(`<< ${written} >>`, [secret])).not.toContain(written);
    }),
    { numRuns: 2000 },
  );
});

test('the time is linear in the length of the text', () => {
  const key = 'sk-0123456789abcdef';
  const worstCases = ['\\', '%25', '&amp;', '://', 'a', 'sk-01234567', '%', '&', 'QUFB', 'é'];
  const time = (size: number) => {
    const startedAt = process.hrtime.bigint();
    for (const unit of worstCases) redact(unit.repeat(size / unit.length), [key]);
    return Number(process.hrtime.bigint() - startedAt);
  };
  const fastest = (size: number) => Math.min(...Array.from({ length: 4 }, () => time(size)));
  time(20_000);
  // The text is 16 times longer; quadratic work would take 256 times as long.
  expect(fastest(320_000) / fastest(20_000)).toBeLessThan(100);
});
