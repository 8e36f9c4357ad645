// The read tool: text, line ranges, limits, images and artifacts.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, symlinkSync, truncateSync, writeSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { read } from '../../src/tools/read.ts';
import { createToolFixture, expectFault, getText, ports } from './tool-fixture.ts';

const lines = (count: number, from = 1) => Array.from({ length: count }, (_, i) => `line ${from + i}\n`).join('');

describe('text', () => {
  test('a file is returned unchanged, without details', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'a.txt': 'one\r\n\ttwo\n' });
    expect(await read.run({ path: 'a.txt' }, fixture)).toEqual({ content: [{ type: 'text', text: 'one\r\n\ttwo\n' }] });
  });

  test('a leading BOM is not shown', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'a.txt': '\ufeffone\n' });
    expect(getText(await read.run({ path: 'a.txt' }, fixture))).toBe('one\n');
  });

  test('an empty file is reported', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'a.txt': '' });
    expect(getText(await read.run({ path: 'a.txt' }, fixture))).toBe('(empty file)');
  });

  test('files in /proc are read although their size is zero', async () => {
    expect(getText(await read.run({ path: '/proc/self/status' }, createToolFixture()))).toContain('Pid:');
  });

  test('offset and limit select lines; the remaining lines are counted', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'a.txt': lines(10) });
    expect(getText(await read.run({ path: 'a.txt', offset: 3, limit: 2 }, fixture))).toBe(
      'line 3\nline 4\n\n[6 more lines in file. Use offset=5 to continue.]',
    );
    expect(getText(await read.run({ path: 'a.txt', offset: 9, limit: 2 }, fixture))).toBe('line 9\nline 10\n');
    expect(getText(await read.run({ path: 'a.txt', offset: 10 }, fixture))).toBe('line 10\n');
    expect(getText(await read.run({ path: 'a.txt', offset: 0, limit: 1 }, fixture))).toBe(
      'line 1\n\n[9 more lines in file. Use offset=2 to continue.]',
    );
  });

  test('the last line is counted with and without a newline', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'a.txt': 'one\ntwo', 'b.txt': 'one\ntwo\n' });
    for (const path of ['a.txt', 'b.txt']) {
      expect((await expectFault(read, { path, offset: 3 }, fixture)).message).toBe(
        'Offset 3 is beyond end of file (2 lines total)',
      );
    }
    expect(getText(await read.run({ path: 'a.txt', offset: 2 }, fixture))).toBe('two');
  });
});

describe('limits', () => {
  test('2000 lines', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'a.txt': lines(2500) });
    const result = await read.run({ path: 'a.txt' }, fixture);
    const text = getText(result);
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
    expect(getText(await read.run({ path: 'a.txt', offset: 2001 }, fixture))).toBe(lines(500, 2001));
  });

  test('exactly 2000 lines are not truncated', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'a.txt': lines(2000) });
    expect(await read.run({ path: 'a.txt' }, fixture)).toEqual({ content: [{ type: 'text', text: lines(2000) }] });
  });

  test('50 KiB of complete lines', async () => {
    const fixture = createToolFixture();
    const line = `${'é'.repeat(511)}\n`; // 1023 bytes
    fixture.writeFiles({ 'a.txt': line.repeat(60) });
    const result = await read.run({ path: 'a.txt' }, fixture);
    expect(getText(result)).toBe(
      `${line.repeat(50)}\n[Showing lines 1-50 of 60 (50.0KB limit). Use offset=51 to continue.]`,
    );
    expect(result.details).toMatchObject({
      truncation: { truncatedBy: 'bytes', totalLines: 60, totalBytes: 60 * 1023, outputLines: 50, outputBytes: 51149 },
    });
  });

  test('a first line that does not fit is reported with a command to show it', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'a b.txt': `short\n${'x'.repeat(60_000)}\nend\n` });
    expect(getText(await read.run({ path: 'a b.txt', offset: 2 }, fixture))).toBe(
      "[Line 2 is 58.6KB, exceeds 50.0KB limit. Use bash: sed -n '2p' 'a b.txt' | head -c 51200]",
    );
    expect((await read.run({ path: 'a b.txt', offset: 2 }, fixture)).details).toMatchObject({
      truncation: { content: '', firstLineExceedsLimit: true, outputLines: 0, outputBytes: 0 },
    });
    expect(getText(await read.run({ path: 'a b.txt' }, fixture))).toBe(
      'short\n\n[Showing lines 1-1 of 3 (50.0KB limit). Use offset=2 to continue.]',
    );
  });

  test('a line of exactly 50 KiB fits, one byte more does not', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'fits.txt': `${'x'.repeat(51_200)}\n`, 'not.txt': `${'x'.repeat(51_201)}\n` });
    expect(getText(await read.run({ path: 'fits.txt' }, fixture))).toBe(`${'x'.repeat(51_200)}\n`);
    expect(getText(await read.run({ path: 'not.txt' }, fixture))).toMatch(/^\[Line 1 is 50\.0KB, exceeds/);
  });
});

describe('huge files', () => {
  test('5 GB of zeros are reported as binary', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ sparse: '' });
    truncateSync(fixture.path('sparse'), 5 * 1024 ** 3);
    expect(getText(await read.run({ path: 'sparse' }, fixture))).toBe(
      '[sparse is a binary file (5.0GB); its content is not shown]',
    );
  });

  test('5 GB that start as text are shown in part, without reading to the end', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ log: lines(3000) });
    truncateSync(fixture.path('log'), 5 * 1024 ** 3);
    const before = process.memoryUsage().rss;
    const text = getText(await read.run({ path: 'log' }, fixture));
    expect(text.endsWith('[Showing lines 1-2000 of more than 3001. Use offset=2001 to continue.]')).toBe(true);
    expect(getText(await read.run({ path: 'log', limit: 1 }, fixture))).toBe(
      'line 1\n\n[More than 3000 more lines in file. Use offset=2 to continue.]',
    );
    expect(getText(await read.run({ path: 'log', offset: 3001 }, fixture))).toMatch(
      /^\[Line 3001 is at least 12\d\.\dMB, /,
    );
    expect((await expectFault(read, { path: 'log', offset: 4000 }, fixture)).message).toBe(
      "Offset 4000 is beyond the first 128.0MB of the file. Use bash: sed -n '4000,5999p' log",
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 ** 2);
  });

  test('lines far inside a large file can be read', async () => {
    const fixture = createToolFixture();
    const file = openSync(fixture.path('big.txt'), 'w');
    const block = 'x'.repeat(99).concat('\n').repeat(10_000);
    for (let i = 0; i < 20; i += 1) writeSync(file, block);
    writeSync(file, 'needle\n');
    closeSync(file);
    expect(getText(await read.run({ path: 'big.txt', offset: 200_001 }, fixture))).toBe('needle\n');
  });
});

describe('paths that cannot be read as text', () => {
  test.each([
    ['a FIFO', 'pipe', 'Cannot read pipe: it is a FIFO'],
    ['a directory', 'folder', 'Cannot read folder: it is a directory'],
    ['a device', '/dev/zero', 'Cannot read /dev/zero: it is a device'],
    ['a link to a device', 'zero', 'Cannot read zero: it is a device'],
    ['a missing file', 'missing.txt', 'File not found: missing.txt'],
    ['a dangling link', 'dangling', 'File not found: dangling'],
    ['a path through a file', 'file/x', 'File not found: file/x'],
  ])('%s is rejected', async (_, path, message) => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'folder/x': '', file: '' });
    execFileSync('mkfifo', [fixture.path('pipe')]);
    symlinkSync('/dev/zero', fixture.path('zero'));
    symlinkSync('nowhere', fixture.path('dangling'));
    expect((await expectFault(read, { path }, fixture)).message).toBe(message);
  });

  test('a link loop is rejected', async () => {
    const fixture = createToolFixture();
    symlinkSync('loop', fixture.path('loop'));
    expect((await expectFault(read, { path: 'loop' }, fixture)).message).toMatch(/^Cannot reach loop: ELOOP/);
  });

  test('a permission error is reported with the reason', async () => {
    const open = () => Promise.reject(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }));
    const fixture = createToolFixture({ ports: { ...ports, toolEnv: {}, files: { ...ports.files, open } } });
    fixture.writeFiles({ secret: 'x' });
    expect((await expectFault(read, { path: 'secret' }, fixture)).message).toBe(
      'Cannot read secret: EACCES: permission denied',
    );
  });

  test('a binary file is reported with its size', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'a.bin': new Uint8Array([1, 2, 0, 3]) });
    expect(getText(await read.run({ path: 'a.bin' }, fixture))).toBe(
      '[a.bin is a binary file (4B); its content is not shown]',
    );
  });

  test('an aborted call fails', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'a.txt': 'x' });
    fixture.abort();
    const fault = await expectFault(read, { path: 'a.txt' }, fixture);
    expect([fault.code, fault.message]).toEqual(['aborted', 'Operation aborted']);
  });
});

describe('images', () => {
  const headers = {
    'image/png': Buffer.from('89504e470d0a1a0a0000', 'hex'),
    'image/jpeg': Buffer.from('ffd8ffe000104a464946', 'hex'),
    'image/gif': Buffer.from('GIF89a\0\0'),
    'image/webp': Buffer.from('RIFF\0\0\0\0WEBPVP8 '),
  };

  test.each(Object.entries(headers))('%s is detected by content, not by name', async (mimeType, bytes) => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'picture.txt': bytes });
    expect(await read.run({ path: 'picture.txt', offset: 5 }, fixture)).toEqual({
      content: [
        { type: 'text', text: `Read image file [${mimeType}]` },
        { type: 'image', data: bytes.toString('base64'), mimeType },
      ],
    });
  });

  test('an image that is too large for providers is omitted with a notice', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'a.png': headers['image/png'] });
    truncateSync(fixture.path('a.png'), 5 * 1024 ** 2);
    expect(getText(await read.run({ path: 'a.png' }, fixture))).toBe(
      'Read image file [image/png]\n[Image left out: 5.0MB, 6.7MB when encoded; the limit is 4.5MB]',
    );
  });

  test('text in a file named like an image is text', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ 'a.png': 'not an image' });
    expect(getText(await read.run({ path: 'a.png' }, fixture))).toBe('not an image');
  });
});

describe('artifacts', () => {
  test('artifact://ID reads a saved output', async () => {
    const fixture = createToolFixture();
    const { id, path } = await fixture.artifacts.reserve('bash');
    await fixture.ports.files.write(path, Buffer.from(lines(2100)));
    const text = getText(await read.run({ path: `artifact://${id}`, offset: 2050, limit: 1 }, fixture));
    expect(text).toBe('line 2050\n\n[50 more lines in file. Use offset=2051 to continue.]');
  });

  test('an unknown artifact is reported', async () => {
    expect((await expectFault(read, { path: 'artifact://9' }, createToolFixture())).message).toBe(
      'Artifact not found: artifact://9',
    );
  });
});
