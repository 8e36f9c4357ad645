// Reading artifacts in parts: no character is cut, binary data is base64, and links are not followed.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFiles } from '../../../src/app/system-ports/files.ts';
import { createArtifactReader } from '../../../src/core/session/artifact-reader.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

function setup(artifacts: Readonly<Record<string, string | Uint8Array>>) {
  const directory = createTemporaryDirectory();
  for (const [name, content] of Object.entries(artifacts)) writeFileSync(join(directory, name), content);
  return { directory, reader: createArtifactReader(createFiles(), directory) };
}

test('only files with the name of an artifact are listed, by their number', async () => {
  const { directory, reader } = setup({
    '10.bash.log': 'ten',
    '2.mcp_x-y.log': 'two',
    'Task.jsonl': '',
    'x.bash.log': '',
  });
  writeFileSync(join(directory, 'secret'), 'secret');
  symlinkSync(join(directory, 'secret'), join(directory, '3.bash.log'));
  mkdirSync(join(directory, '4.bash.log'));
  expect(await reader.list()).toEqual([
    { id: '2', toolName: 'mcp_x-y', bytes: 3, createdMs: expect.any(Number), path: join(directory, '2.mcp_x-y.log') },
    { id: '10', toolName: 'bash', bytes: 3, createdMs: expect.any(Number), path: join(directory, '10.bash.log') },
  ]);
  await expect(reader.read('3')).rejects.toThrow('No artifact has the id 3');
});

test('a session that has stored nothing has no artifacts', async () => {
  expect(await createArtifactReader(createFiles(), undefined).list()).toEqual([]);
  expect(await createArtifactReader(createFiles(), '/does/not/exist').list()).toEqual([]);
});

test('the parts of a text, joined, are the text, for every size of a part', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.integer({ min: 4, max: 20 }),
      async (text, limit) => {
        fc.pre(!text.includes('\0'));
        const { reader } = setup({ '0.bash.log': text });
        let joined = '';
        let offset: number | undefined = 0;
        while (offset !== undefined) {
          const part: Awaited<ReturnType<typeof reader.read>> = await reader.read('0', { offset, limit });
          joined += part.text;
          offset = part.nextOffset;
        }
        expect(joined).toBe(text);
      },
    ),
    { numRuns: 40 },
  );
});

test('what is no text is base64, and a part is never longer than the limit', async () => {
  const bytes = Uint8Array.from({ length: 600_000 }, (_, at) => at % 256);
  const { reader } = setup({ '0.bash.log': bytes, '1.bash.log': 'x'.repeat(600_000) });
  const parts: Buffer[] = [];
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const part: Awaited<ReturnType<typeof reader.read>> = await reader.read('0', { offset, limit: 1_000_000 });
    expect(part.text).toBeUndefined();
    parts.push(Buffer.from(part.base64 ?? '', 'base64'));
    offset = part.nextOffset;
  }
  expect(parts.every(({ length }) => length <= 256 * 1024)).toBe(true);
  expect(Buffer.concat(parts).equals(Buffer.from(bytes))).toBe(true);
  expect((await reader.read('1')).text).toHaveLength(256 * 1024);
});
