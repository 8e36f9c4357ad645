import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createScratchDirectory, startShell, waitForExit } from './processes.ts';

const scratch = createScratchDirectory();
const scratchPath = (name: string) => join(scratch.directory, name);
let writerProgram: string;
beforeAll(() => {
  // Minified, because the guard sends the source text of its functions to workers.
  writerProgram = scratch.bundle('stdout-writes', { minify: true, keepNames: true });
  writeFileSync(scratchPath('forked.mjs'), 'process.stdout.write(process.argv[2]);');
});
afterAll(() => scratch.remove());

/** `$P` is the program under test. `$OUT` and `$ERR` are files; output that is not redirected to them is read from sockets. */
async function run(command: string, flags = ''): Promise<{ out: string; err: string; code: number }> {
  for (const name of ['out', 'err']) writeFileSync(scratchPath(name), '');
  const program = `'${process.execPath}' ${flags} '${writerProgram}' '${scratchPath('forked.mjs')}'`;
  const paths = { $P: program, $OUT: scratchPath('out'), $ERR: scratchPath('err') };
  const child = startShell(command.replace(/\$P|\$OUT|\$ERR/g, (name) => paths[name as keyof typeof paths]));
  child.stdin.end();
  const { out, err, code } = await waitForExit(child);
  return {
    out: out + readFileSync(scratchPath('out'), 'utf8'),
    err: err + readFileSync(scratchPath('err'), 'utf8'),
    code,
  };
}

function expectSeparation(out: string, err: string): void {
  const frames = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { before?: string; after?: string });
  const names = frames.flatMap(({ before }) => before ?? []);
  expect(names.length).toBe(27);
  expect(frames).toEqual([
    ...names.flatMap((name) => [{ before: name }, { after: name }]),
    { after: 'closing descriptor 1' },
  ]);
  expect(err.match(/<[^>]+>/g)).toEqual(names.map((name) => `<${name}>`));
}

describe('stdout contains only frames, and all other output goes to stderr', () => {
  test.each([
    ['socket', 'socket', '$P'],
    ['socket', 'file', '$P 2> $ERR'],
    ['socket', 'pipe', '{ $P 2>&1 >&3 | cat > $ERR; } 3>&1'],
    ['pipe', 'socket', '$P | cat'],
    ['pipe', 'file', '$P 2> $ERR | cat'],
    ['pipe', 'appended file', '$P 2>> $ERR | cat'],
    ['pipe', 'pipe', '{ $P 2>&1 >&3 | cat > $ERR; } 3>&1 | cat'],
    ['file', 'socket', '$P > $OUT'],
    ['file', 'file', '$P > $OUT 2> $ERR'],
    ['appended file', 'pipe', '{ $P 2>&1 >> $OUT; } | cat > $ERR'],
    ['appended file', 'appended file', '$P >> $OUT 2>> $ERR'],
  ])('stdout is a %s, stderr a %s', async (_out, _err, command) => {
    const { out, err, code } = await run(command);
    expectSeparation(out, err);
    expect(code).toBe(0);
  });

  test('process flags that workers refuse do not disable the guard', async () => {
    const { out, err } = await run('$P', '--max-old-space-size=500');
    expectSeparation(out, err);
  });

  test('stdout contains only frames when stderr is closed', async () => {
    const { out, code } = await run('$P 2>&- | cat');
    const frames = out.trimEnd().split('\n');
    expect(frames.filter((line) => JSON.parse(line)).length).toBe(55);
    expect(code).toBe(0);
  });

  test('a file that other commands write too is not overwritten by either side', async () => {
    const { out } = await run('{ echo first; $P; echo last; } > $OUT 2>&1');
    const lines = out.trimEnd().split('\n');
    expect(lines.at(0)).toBe('first');
    expect(lines.at(-1)).toBe('last');
    const [frames, marks] = [
      lines.filter((line) => line.startsWith('{')),
      lines.filter((line) => line.startsWith('<')),
    ];
    expectSeparation(frames.join('\n'), marks.join('\n'));
  });
});
