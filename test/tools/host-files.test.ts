// read, write and edit with a host that has unsaved buffers.
import { symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import type { HostFiles, Ports } from '../../src/contracts/index.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { edit } from '../../src/tools/edit.ts';
import { read } from '../../src/tools/read.ts';
import { write } from '../../src/tools/write.ts';
import { createToolFixture, expectFault, getText, ports } from './tool-fixture.ts';

/** A host with these unsaved buffers, by file name. Writing saves the file and changes the buffer. */
function createEditor(buffers: Record<string, string> = {}, overrides: HostFiles = {}, contextPorts: Ports = ports) {
  const requests: string[] = [];
  const find = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  const files: HostFiles = {
    async readText(path) {
      requests.push(`read ${path}`);
      const text = buffers[find(path)];
      if (text === undefined) throw new Error('not open');
      return text;
    },
    async writeText(path, content) {
      requests.push(`write ${path}`);
      buffers[find(path)] = content;
      await ports.files.write(path, Buffer.from(content));
    },
    ...overrides,
  };
  const fixture = createToolFixture({ hostServices: { files }, ports: contextPorts });
  return { fixture, requests, buffers };
}

const failing: HostFiles = {
  readText: () => Promise.reject(new Error('refused')),
  writeText: () => Promise.reject(new Error('refused')),
};

const denying: HostFiles = {
  writeText: () => Promise.reject(new Fault('refused', 'The user does not allow it.')),
};

/** A host that answers only when it is cancelled. */
const waitForAbort = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('cancelled')));
  });

describe('read', () => {
  test('shows the unsaved buffer', async () => {
    const { fixture, requests } = createEditor({ 'a.ts': 'unsaved\nlines\n' });
    fixture.writeFiles({ 'a.ts': 'saved\n' });
    expect(getText(await read.run({ path: 'a.ts' }, fixture))).toBe('unsaved\nlines\n');
    expect(getText(await read.run({ path: 'a.ts', offset: 2 }, fixture))).toBe('lines\n');
    expect(requests[0]).toBe(`read ${fixture.path('a.ts')}`);
  });

  test('shows a file that exists only as a buffer', async () => {
    const { fixture } = createEditor({ 'new.ts': 'unsaved\n' });
    expect(getText(await read.run({ path: 'new.ts' }, fixture))).toBe('unsaved\n');
  });

  test('an empty buffer of a file that does not exist is not a file', async () => {
    const { fixture } = createEditor({ 'new.ts': '' });
    expect((await expectFault(read, { path: 'new.ts' }, fixture)).message).toBe('File not found: new.ts');
  });

  test('a buffer that the user has emptied is empty', async () => {
    const { fixture } = createEditor({ 'a.ts': '' });
    fixture.writeFiles({ 'a.ts': 'saved\n' });
    expect(getText(await read.run({ path: 'a.ts' }, fixture))).toBe('(empty file)');
  });

  test('uses the file when the host fails', async () => {
    const { fixture } = createEditor({}, failing);
    fixture.writeFiles({ 'a.ts': 'saved\n' });
    expect(getText(await read.run({ path: 'a.ts' }, fixture))).toBe('saved\n');
    expect((await expectFault(read, { path: 'b.ts' }, fixture)).message).toBe('File not found: b.ts');
  });

  test.each([
    ['a binary file', new Uint8Array([1, 0, 2])],
    ['text that is not UTF-8', new Uint8Array([0xe9, 0x74, 0xe9])],
    ['a file of more than 4 MiB', new Uint8Array(4 * 1024 * 1024 + 1).fill(0x61)],
    ['an image', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ])('the host is not asked for %s', async (_, bytes) => {
    const { fixture, requests } = createEditor({ a: 'buffer' });
    fixture.writeFiles({ a: bytes });
    const own = createToolFixture();
    own.writeFiles({ a: bytes });
    expect(await read.run({ path: 'a' }, fixture)).toEqual(await read.run({ path: 'a' }, own));
    expect(requests).toEqual([]);
  });

  test('the host is not asked for directories and artifacts', async () => {
    const { fixture, requests } = createEditor({ folder: 'buffer' });
    fixture.writeFiles({ 'folder/a': '' });
    expect((await expectFault(read, { path: 'folder' }, fixture)).message).toBe(
      'Cannot read folder: it is a directory',
    );
    const { path } = await fixture.artifacts.reserve('bash');
    await ports.files.write(path, Buffer.from('output'));
    expect(getText(await read.run({ path: 'artifact://0' }, fixture))).toBe('output');
    expect(requests).toEqual([]);
  });

  test('a buffer that is too large is not used', async () => {
    const { fixture } = createEditor({ a: 'x'.repeat(4 * 1024 * 1024 + 1) });
    fixture.writeFiles({ a: 'saved' });
    expect(getText(await read.run({ path: 'a' }, fixture))).toBe('saved');
  });

  test('without unsaved changes, mixed line endings and the BOM are those of the file', async () => {
    const { fixture } = createEditor({ a: 'one\ntwo\nthree\n' });
    fixture.writeFiles({ a: '\ufeffone\r\ntwo\nthree\r\n' });
    const own = createToolFixture();
    own.writeFiles({ a: '\ufeffone\r\ntwo\nthree\r\n' });
    expect(await read.run({ path: 'a' }, fixture)).toEqual(await read.run({ path: 'a' }, own));
  });

  test('a file in a linked folder is requested by the path that the user knows', async () => {
    const { fixture, requests } = createEditor({ a: 'unsaved' });
    fixture.writeFiles({ 'real/inner/a': 'saved', 'real/a': 'other', a: 'third' });
    symlinkSync(fixture.path('real/inner'), fixture.path('link'));
    await read.run({ path: 'link/a' }, fixture);
    // The system resolves the link first: this is real/a, not a.
    await read.run({ path: 'link/../a' }, fixture);
    expect(requests).toEqual([`read ${fixture.path('link/a')}`, `read ${fixture.path('real/a')}`]);
  });

  test('a host that does not answer is waited for four seconds, once in a minute', async () => {
    const clock = createFakeClock();
    let count = 0;
    const readText: HostFiles['readText'] = (_, signal) => {
      count += 1;
      const answer = waitForAbort(signal);
      void clock.advance(4000);
      return answer;
    };
    const { fixture } = createEditor({}, { readText }, { ...ports, clock });
    fixture.writeFiles({ a: 'saved' });
    for (let i = 0; i < 3; i += 1) expect(getText(await read.run({ path: 'a' }, fixture))).toBe('saved');
    expect(count).toBe(1);
    await clock.advance(60_000);
    await read.run({ path: 'a' }, fixture);
    expect(count).toBe(2);
  });

  test('an abort ends the request to the host', async () => {
    const { fixture } = createEditor(
      {},
      {
        readText(_, signal) {
          queueMicrotask(() => fixture.abort());
          return waitForAbort(signal);
        },
      },
    );
    fixture.writeFiles({ a: 'saved' });
    expect((await expectFault(read, { path: 'a' }, fixture)).code).toBe('aborted');
  });
});

describe('write', () => {
  test('goes through the host, and makes missing folders first', async () => {
    const { fixture, requests, buffers } = createEditor();
    expect(getText(await write.run({ path: 'x/y/a.ts', content: 'é\n' }, fixture))).toBe(
      'Successfully wrote 3 bytes to x/y/a.ts',
    );
    expect(requests).toEqual([`write ${fixture.path('x/y/a.ts')}`]);
    expect([buffers['a.ts'], fixture.readText('x/y/a.ts')]).toEqual(['é\n', 'é\n']);
  });

  test('is our own when the host fails', async () => {
    const { fixture } = createEditor({}, failing);
    await write.run({ path: 'x/a.ts', content: 'new' }, fixture);
    expect(fixture.readText('x/a.ts')).toBe('new');
  });

  test('that the user does not allow is not done with our own files', async () => {
    const { fixture } = createEditor({ a: 'one' }, denying);
    fixture.writeFiles({ a: 'one' });
    for (const fault of [
      await expectFault(write, { path: 'a', content: 'new' }, fixture),
      await expectFault(edit, { path: 'a', oldText: 'one', newText: 'two' }, fixture),
    ]) {
      expect([fault.code, fault.message]).toEqual(['refused', 'The user does not allow it.']);
    }
    expect(fixture.readText('a')).toBe('one');
  });

  test('waits without a limit, because the host may ask the user', async () => {
    const clock = createFakeClock();
    const writeText: HostFiles['writeText'] = async (_path, _content, signal) => {
      await clock.advance(3_600_000);
      if (signal.aborted) throw new Error('cancelled');
    };
    const { fixture } = createEditor({}, { writeText }, { ...ports, clock });
    fixture.writeFiles({ a: 'saved' });
    await write.run({ path: 'a', content: 'new' }, fixture);
    // The host of this test writes nothing.
    expect(fixture.readText('a')).toBe('saved');
  });

  test('is our own for a binary file', async () => {
    const { fixture, requests } = createEditor();
    fixture.writeFiles({ a: new Uint8Array([0, 1]) });
    await write.run({ path: 'a', content: 'text' }, fixture);
    expect([requests, fixture.readText('a')]).toEqual([[], 'text']);
  });

  test('the preview compares with the unsaved buffer', async () => {
    const { fixture } = createEditor({ a: 'unsaved\n', b: 'only in the editor\n' });
    fixture.writeFiles({ a: 'saved\n' });
    expect(await write.previewDiff?.({ path: 'a', content: 'new\n' }, fixture)).toContain('unsaved');
    expect(await write.previewDiff?.({ path: 'b', content: 'new\n' }, fixture)).toContain('only in the editor');
  });
});

describe('edit', () => {
  test('changes the unsaved buffer', async () => {
    const { fixture, requests, buffers } = createEditor({ a: 'one\nunsaved\n' });
    fixture.writeFiles({ a: 'one\n' });
    const result = await edit.run({ path: 'a', oldText: 'unsaved', newText: 'edited' }, fixture);
    expect(getText(result)).toBe('Successfully replaced text in a.');
    expect(requests).toEqual([`read ${fixture.path('a')}`, `write ${fixture.path('a')}`]);
    expect([buffers.a, fixture.readText('a')]).toEqual(['one\nedited\n', 'one\nedited\n']);
  });

  test('previews the change of the unsaved buffer', async () => {
    const { fixture, requests } = createEditor({ a: 'unsaved\n' });
    fixture.writeFiles({ a: 'saved\n' });
    const diff = await edit.previewDiff?.({ path: 'a', oldText: 'unsaved', newText: 'edited' }, fixture);
    expect(diff).toContain('edited');
    expect(requests).toEqual([`read ${fixture.path('a')}`]);
  });

  test('a file that exists only as a buffer can be edited', async () => {
    const { fixture } = createEditor({ a: 'unsaved' }, { writeText: failing.writeText });
    await edit.run({ path: 'x/a', oldText: 'unsaved', newText: 'edited' }, fixture);
    expect(fixture.readText('x/a')).toBe('edited');
  });

  test('a failed write of the host is repeated with our own files, with unsaved changes', async () => {
    const { fixture } = createEditor({ a: 'unsaved' }, { writeText: failing.writeText });
    fixture.writeFiles({ a: 'saved' });
    await edit.run({ path: 'a', oldText: 'unsaved', newText: 'edited' }, fixture);
    expect(fixture.readText('a')).toBe('edited');
  });

  test('a buffer that the host could not read is not overwritten', async () => {
    const { fixture, requests } = createEditor({ a: 'unsaved' }, { readText: failing.readText });
    fixture.writeFiles({ a: 'saved' });
    await edit.run({ path: 'a', oldText: 'saved', newText: 'edited' }, fixture);
    expect([requests, fixture.readText('a')]).toEqual([[], 'edited']);
  });

  test('a host that can only write is used for that', async () => {
    const { fixture, requests } = createEditor({}, { readText: undefined } as unknown as HostFiles);
    fixture.writeFiles({ a: 'saved' });
    await edit.run({ path: 'a', oldText: 'saved', newText: 'edited' }, fixture);
    expect(requests).toEqual([`write ${fixture.path('a')}`]);
  });

  test('a text that is not UTF-8 fails as without a host', async () => {
    const { fixture } = createEditor({ a: 'été' });
    fixture.writeFiles({ a: new Uint8Array([0xe9, 0x74, 0xe9]) });
    expect((await expectFault(edit, { path: 'a', oldText: 'é', newText: 'e' }, fixture)).message).toBe(
      'Cannot edit a: it is not UTF-8 text. Use bash',
    );
  });

  describe.each([
    ['without unsaved changes', 'one\ntwo\n'],
    ['with unsaved changes', 'one\ntwo\nunsaved\n'],
  ])('an editor that hides the BOM and CRLF, %s', (_, buffer) => {
    const saved = '\ufeffone\r\ntwo\r\n';
    const expected = buffer.replace('two', '2');

    test('gets its own form back', async () => {
      const { fixture, buffers } = createEditor({ a: buffer });
      fixture.writeFiles({ a: saved });
      await edit.run({ path: 'a', oldText: 'two', newText: '2' }, fixture);
      expect(buffers.a).toBe(expected);
    });

    test('does not change the form of the file when its write fails', async () => {
      const { fixture } = createEditor({ a: buffer }, { writeText: failing.writeText });
      fixture.writeFiles({ a: saved });
      await edit.run({ path: 'a', oldText: 'two', newText: '2' }, fixture);
      expect(fixture.readText('a')).toBe(`\ufeff${expected.replaceAll('\n', '\r\n')}`);
    });
  });
});
