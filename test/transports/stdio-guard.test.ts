import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorkshop, outcomeOf, startShell } from './processes.ts';

const workshop = createWorkshop();
const inside = (name: string) => join(workshop.directory, name);
let polluter: string;
beforeAll(() => {
  // Squeezed as hard as a bundler can, because the guard sends its own functions to workers as text.
  polluter = workshop.bundle('pollution', { minify: true, keepNames: true });
  writeFileSync(inside('forked.mjs'), 'process.stdout.write(process.argv[2]);');
});
afterAll(() => workshop.remove());

/** `$P` is the polluting program. `$OUT` and `$ERR` name files; what is not redirected there comes through sockets. */
async function run(command: string, flags = ''): Promise<{ out: string; err: string; code: number }> {
  for (const name of ['out', 'err']) writeFileSync(inside(name), '');
  const program = `'${process.execPath}' ${flags} '${polluter}' '${inside('forked.mjs')}'`;
  const paths = { $P: program, $OUT: inside('out'), $ERR: inside('err') };
  const child = startShell(command.replace(/\$P|\$OUT|\$ERR/g, (name) => paths[name as keyof typeof paths]));
  child.stdin.end();
  const { out, err, code } = await outcomeOf(child);
  return { out: out + readFileSync(inside('out'), 'utf8'), err: err + readFileSync(inside('err'), 'utf8'), code };
}

function expectSeparation(out: string, err: string): void {
  const frames = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { before?: string; after?: string });
  const routes = frames.flatMap(({ before }) => before ?? []);
  expect(routes.length).toBe(27);
  expect(frames).toEqual([
    ...routes.flatMap((route) => [{ before: route }, { after: route }]),
    { after: 'closing number 1' },
  ]);
  expect(err.match(/<[^>]+>/g)).toEqual(routes.map((route) => `<${route}>`));
}

describe('stdout carries frames only, and everything else lands on stderr', () => {
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

  test('flags that workers refuse do not switch the guard off', async () => {
    const { out, err } = await run('$P', '--max-old-space-size=500');
    expectSeparation(out, err);
  });

  test('stderr is closed: the frames still come alone', async () => {
    const { out, code } = await run('$P 2>&- | cat');
    const frames = out.trimEnd().split('\n');
    expect(frames.filter((line) => JSON.parse(line)).length).toBe(55);
    expect(code).toBe(0);
  });

  test('a file that others write too is neither overwritten nor do they overwrite ours', async () => {
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
