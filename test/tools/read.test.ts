// The read tool shows what is there, in bounds, and says what it left out.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, symlinkSync, truncateSync, writeSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { read } from '../../src/tools/read.ts';
import { ports, refusal, surroundings, textOf } from './surroundings.ts';

const lines = (count: number, from = 1) => Array.from({ length: count }, (_, i) => `line ${from + i}\n`).join('');

describe('text', () => {
  test('a whole file comes as it is, without details', async () => {
    const here = surroundings();
    here.put({ 'a.txt': 'one\r\n\ttwo\n' });
    expect(await read.run({ path: 'a.txt' }, here)).toEqual({ content: [{ type: 'text', text: 'one\r\n\ttwo\n' }] });
  });

  test('a leading BOM is not shown', async () => {
    const here = surroundings();
    here.put({ 'a.txt': '\ufeffone\n' });
    expect(textOf(await read.run({ path: 'a.txt' }, here))).toBe('one\n');
  });

  test('an empty file says so', async () => {
    const here = surroundings();
    here.put({ 'a.txt': '' });
    expect(textOf(await read.run({ path: 'a.txt' }, here))).toBe('(empty file)');
  });

  test('files of /proc have content although their size is zero', async () => {
    expect(textOf(await read.run({ path: '/proc/self/status' }, surroundings()))).toContain('Pid:');
  });

  test('offset and limit choose lines, and the rest is counted', async () => {
    const here = surroundings();
    here.put({ 'a.txt': lines(10) });
    expect(textOf(await read.run({ path: 'a.txt', offset: 3, limit: 2 }, here))).toBe(
      'line 3\nline 4\n\n[6 more lines in file. Use offset=5 to continue.]',
    );
    expect(textOf(await read.run({ path: 'a.txt', offset: 9, limit: 2 }, here))).toBe('line 9\nline 10\n');
    expect(textOf(await read.run({ path: 'a.txt', offset: 10 }, here))).toBe('line 10\n');
    expect(textOf(await read.run({ path: 'a.txt', offset: 0, limit: 1 }, here))).toBe(
      'line 1\n\n[9 more lines in file. Use offset=2 to continue.]',
    );
  });

  test('the last line counts with and without a newline', async () => {
    const here = surroundings();
    here.put({ 'a.txt': 'one\ntwo', 'b.txt': 'one\ntwo\n' });
    for (const path of ['a.txt', 'b.txt']) {
      expect((await refusal(read, { path, offset: 3 }, here)).message).toBe(
        'Offset 3 is beyond end of file (2 lines total)',
      );
    }
    expect(textOf(await read.run({ path: 'a.txt', offset: 2 }, here))).toBe('two');
  });
});

describe('limits', () => {
  test('2000 lines', async () => {
    const here = surroundings();
    here.put({ 'a.txt': lines(2500) });
    const result = await read.run({ path: 'a.txt' }, here);
    const text = textOf(result);
    expect(text).toBe(`${lines(2000)}\n[Showing lines 1-2000 of 2500. Use offset=2001 to continue.]`);
    const content = lines(2000).slice(0, -1);
    expect(result.details).toEqual({
      truncation: {
        content,
        truncated: true,
        truncatedBy: 'lines',
        totalLines: 2500,
        totalBytes: lines(2500).length,
        outputLines: 2000,
        outputBytes: content.length,
        lastLinePartial: false,
        firstLineExceedsLimit: false,
        maxLines: 2000,
        maxBytes: 51200,
      },
    });
    expect(textOf(await read.run({ path: 'a.txt', offset: 2001 }, here))).toBe(lines(500, 2001));
  });

  test('exactly 2000 lines are not too many', async () => {
    const here = surroundings();
    here.put({ 'a.txt': lines(2000) });
    expect(await read.run({ path: 'a.txt' }, here)).toEqual({ content: [{ type: 'text', text: lines(2000) }] });
  });

  test('50 KiB, in whole lines', async () => {
    const here = surroundings();
    const line = `${'é'.repeat(511)}\n`; // 1023 bytes
    here.put({ 'a.txt': line.repeat(60) });
    const result = await read.run({ path: 'a.txt' }, here);
    expect(textOf(result)).toBe(
      `${line.repeat(50)}\n[Showing lines 1-50 of 60 (50.0KB limit). Use offset=51 to continue.]`,
    );
    expect(result.details).toMatchObject({
      truncation: { truncatedBy: 'bytes', totalLines: 60, totalBytes: 60 * 1023, outputLines: 50, outputBytes: 51149 },
    });
  });

  test('a first line that does not fit is named with a way to see it', async () => {
    const here = surroundings();
    here.put({ 'a b.txt': `short\n${'x'.repeat(60_000)}\nend\n` });
    expect(textOf(await read.run({ path: 'a b.txt', offset: 2 }, here))).toBe(
      "[Line 2 is 58.6KB, exceeds 50.0KB limit. Use bash: sed -n '2p' 'a b.txt' | head -c 51200]",
    );
    expect((await read.run({ path: 'a b.txt', offset: 2 }, here)).details).toMatchObject({
      truncation: { content: '', firstLineExceedsLimit: true, outputLines: 0, outputBytes: 0 },
    });
    expect(textOf(await read.run({ path: 'a b.txt' }, here))).toBe(
      'short\n\n[Showing lines 1-1 of 3 (50.0KB limit). Use offset=2 to continue.]',
    );
  });

  test('a line of exactly 50 KiB fits, one byte more does not', async () => {
    const here = surroundings();
    here.put({ 'fits.txt': `${'x'.repeat(51_200)}\n`, 'not.txt': `${'x'.repeat(51_201)}\n` });
    expect(textOf(await read.run({ path: 'fits.txt' }, here))).toBe(`${'x'.repeat(51_200)}\n`);
    expect(textOf(await read.run({ path: 'not.txt' }, here))).toMatch(/^\[Line 1 is 50\.0KB, exceeds/);
  });
});

describe('huge files', () => {
  test('5 GB of zeros are called binary', async () => {
    const here = surroundings();
    here.put({ sparse: '' });
    truncateSync(here.path('sparse'), 5 * 1024 ** 3);
    expect(textOf(await read.run({ path: 'sparse' }, here))).toBe(
      '[sparse is a binary file (5.0GB); its content is not shown]',
    );
  });

  test('5 GB that begin as text are shown in part, without being read to the end', async () => {
    const here = surroundings();
    here.put({ log: lines(3000) });
    truncateSync(here.path('log'), 5 * 1024 ** 3);
    const before = process.memoryUsage().rss;
    const text = textOf(await read.run({ path: 'log' }, here));
    expect(text.endsWith('[Showing lines 1-2000 of more than 3001. Use offset=2001 to continue.]')).toBe(true);
    expect(textOf(await read.run({ path: 'log', limit: 1 }, here))).toBe(
      'line 1\n\n[More than 3000 more lines in file. Use offset=2 to continue.]',
    );
    expect(textOf(await read.run({ path: 'log', offset: 3001 }, here))).toMatch(
      /^\[Line 3001 is at least 12\d\.\dMB, /,
    );
    expect((await refusal(read, { path: 'log', offset: 4000 }, here)).message).toBe(
      "Offset 4000 is beyond the first 128.0MB of the file. Use bash: sed -n '4000,5999p' log",
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 ** 2);
  });

  test('lines deep inside a large file are found', async () => {
    const here = surroundings();
    const file = openSync(here.path('big.txt'), 'w');
    const block = 'x'.repeat(99).concat('\n').repeat(10_000);
    for (let i = 0; i < 20; i += 1) writeSync(file, block);
    writeSync(file, 'needle\n');
    closeSync(file);
    expect(textOf(await read.run({ path: 'big.txt', offset: 200_001 }, here))).toBe('needle\n');
  });
});

describe('what has no end or no text', () => {
  test.each([
    ['a FIFO', 'pipe', 'Cannot read pipe: it is a FIFO'],
    ['a directory', 'folder', 'Cannot read folder: it is a directory'],
    ['a device', '/dev/zero', 'Cannot read /dev/zero: it is a device'],
    ['a link to a device', 'zero', 'Cannot read zero: it is a device'],
    ['nothing', 'missing.txt', 'File not found: missing.txt'],
    ['a link to nothing', 'dangling', 'File not found: dangling'],
    ['a path through a file', 'file/x', 'File not found: file/x'],
  ])('%s is refused', async (_, path, message) => {
    const here = surroundings();
    here.put({ 'folder/x': '', file: '' });
    execFileSync('mkfifo', [here.path('pipe')]);
    symlinkSync('/dev/zero', here.path('zero'));
    symlinkSync('nowhere', here.path('dangling'));
    expect((await refusal(read, { path }, here)).message).toBe(message);
  });

  test('links that go round in circles are refused', async () => {
    const here = surroundings();
    symlinkSync('loop', here.path('loop'));
    expect((await refusal(read, { path: 'loop' }, here)).message).toMatch(/^Cannot reach loop: ELOOP/);
  });

  test('what may not be read is named with the reason', async () => {
    const open = () => Promise.reject(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }));
    const here = surroundings({ ports: { ...ports, toolEnv: {}, files: { ...ports.files, open } } });
    here.put({ secret: 'x' });
    expect((await refusal(read, { path: 'secret' }, here)).message).toBe(
      'Cannot read secret: EACCES: permission denied',
    );
  });

  test('binary content is named with its size', async () => {
    const here = surroundings();
    here.put({ 'a.bin': new Uint8Array([1, 2, 0, 3]) });
    expect(textOf(await read.run({ path: 'a.bin' }, here))).toBe(
      '[a.bin is a binary file (4B); its content is not shown]',
    );
  });

  test('an aborted call reads nothing', async () => {
    const here = surroundings();
    here.put({ 'a.txt': 'x' });
    here.abort();
    const fault = await refusal(read, { path: 'a.txt' }, here);
    expect([fault.code, fault.message]).toEqual(['aborted', 'Operation aborted']);
  });
});

describe('images', () => {
  const heads = {
    'image/png': Buffer.from('89504e470d0a1a0a0000', 'hex'),
    'image/jpeg': Buffer.from('ffd8ffe000104a464946', 'hex'),
    'image/gif': Buffer.from('GIF89a\0\0'),
    'image/webp': Buffer.from('RIFF\0\0\0\0WEBPVP8 '),
  };

  test.each(Object.entries(heads))('%s is known by its content, whatever its name', async (mimeType, bytes) => {
    const here = surroundings();
    here.put({ 'picture.txt': bytes });
    expect(await read.run({ path: 'picture.txt', offset: 5 }, here)).toEqual({
      content: [
        { type: 'text', text: `Read image file [${mimeType}]` },
        { type: 'image', data: bytes.toString('base64'), mimeType },
      ],
    });
  });

  test('one too large for providers is left out, in words', async () => {
    const here = surroundings();
    here.put({ 'a.png': heads['image/png'] });
    truncateSync(here.path('a.png'), 5 * 1024 ** 2);
    expect(textOf(await read.run({ path: 'a.png' }, here))).toBe(
      'Read image file [image/png]\n[Image left out: 5.0MB, 6.7MB when encoded; the limit is 4.5MB]',
    );
  });

  test('text with the name of an image is text', async () => {
    const here = surroundings();
    here.put({ 'a.png': 'not an image' });
    expect(textOf(await read.run({ path: 'a.png' }, here))).toBe('not an image');
  });
});

describe('artifacts', () => {
  test('artifact://ID opens a kept output', async () => {
    const here = surroundings();
    const { id, path } = await here.artifacts.reserve('bash');
    await here.ports.files.write(path, Buffer.from(lines(2100)));
    const text = textOf(await read.run({ path: `artifact://${id}`, offset: 2050, limit: 1 }, here));
    expect(text).toBe('line 2050\n\n[50 more lines in file. Use offset=2051 to continue.]');
  });

  test('an unknown one is named', async () => {
    expect((await refusal(read, { path: 'artifact://9' }, surroundings())).message).toBe(
      'Artifact not found: artifact://9',
    );
  });
});
