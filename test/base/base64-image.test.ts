// Base64 images of hosts: detected types, normalization and errors.
import { expect, test } from 'vitest';
import { parseBase64Image } from '../../src/base/base64-image.ts';

const PNG = 'iVBORw0KGgo=';

test.each([
  ['PNG', PNG, 'image/png'],
  ['JPEG', '/9j/', 'image/jpeg'],
  ['GIF 87a', Buffer.from('GIF87a').toString('base64'), 'image/gif'],
  ['GIF 89a', Buffer.from('GIF89a').toString('base64'), 'image/gif'],
  ['WebP', Buffer.from('RIFF....WEBPVP8 ').toString('base64'), 'image/webp'],
])('%s is detected from its bytes', (_name, data, mimeType) => {
  expect(parseBase64Image(data)).toEqual({ data, mimeType });
});

test.each([
  ['a data URL', `data:image/jpeg;base64,${PNG}`],
  ['a data URL with parameters', `data:image/png;name=a.png;BASE64,${PNG}`],
  ['a data URL without a type', ` data:;base64,${PNG}`],
  ['line breaks', '\niVBO\r\nRw0K\nGgo=\n'],
  ['no padding', 'iVBORw0KGgo'],
])('%s is normalized to plain base64', (_name, input) => {
  expect(parseBase64Image(input)).toEqual({ data: PNG, mimeType: 'image/png' });
});

test('the URL-safe alphabet is converted to the standard one', () => {
  expect(parseBase64Image('_9j_-w')).toEqual({ data: '/9j/+w==', mimeType: 'image/jpeg' });
});

test.each([
  ['', 'is empty'],
  [' \n', 'is empty'],
  ['data:image/png;base64,', 'is empty'],
  ['!!!notbase64', 'is not base64'],
  ['iVBORw0KGgo=x', 'is not base64'],
  ['iVBOR', 'is not base64'],
  ['====', 'is not base64'],
  ['data:image/svg+xml,<svg/>', 'is a data URL without base64'],
  [`data:${'x'.repeat(1000)};base64,${PNG}`, 'is a data URL without base64'],
  [Buffer.from('<!DOCTYPE html>').toString('base64'), 'is not a PNG, JPEG, GIF or WebP image'],
  [Buffer.from('BM......').toString('base64'), 'is not a PNG, JPEG, GIF or WebP image'],
])('%j %s', (input, problem) => {
  expect(parseBase64Image(input)).toEqual({ problem });
});

test.each([
  ['spaces', ' '.repeat(5_000_000)],
  ['padding', `${'='.repeat(5_000_000)}a`],
  ['a long data URL prefix', `data:${';base64 '.repeat(600_000)}`],
  ['base64 with an invalid end', `${'A'.repeat(5_000_000)}!`],
])('a long text of %s is refused quickly', (_name, text) => {
  expect(parseBase64Image(text)).toHaveProperty('problem');
});
