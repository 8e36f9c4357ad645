// Tests of the transcript parser, and that docs/testing.md describes every keyword and every export.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runScenario } from '../../src/testing/index.ts';
import { SCRIPTED_ANSWER_FIELDS } from '../../src/testing/scripted-models.ts';
import { SCRIPTED_TOOL_FIELDS } from '../../src/testing/scripted-tools.ts';
import { KEYWORDS, parseTranscript } from '../../src/testing/transcript.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('lines become steps, and a line with an end word has a body', () => {
  expect(parseTranscript('# comment\n\n> {"a":1}\nextension x.ts <<END\na\n  b\nEND\nwait-idle')).toEqual([
    { lineNumber: 3, keyword: '>', argument: '{"a":1}' },
    { lineNumber: 4, keyword: 'extension', argument: 'x.ts', body: 'a\n  b' },
    { lineNumber: 8, keyword: 'wait-idle', argument: '' },
  ]);
});

test('an unknown keyword is refused with the file, the line and the known keywords, before anything runs', async () => {
  const options = { directory: createTemporaryDirectory(), dialect: 'omp', file: 'a.txt' };
  const run = runScenario('shell exit 1\nunknown {}', options);
  await expect(run).rejects.toThrow(`a.txt:2: unknown keyword "unknown". The keywords are: >  >>  <`);
  await expect(run).rejects.toThrow('wait-exit');
  expect(() => parseTranscript('extension x <<END\na')).toThrow('transcript:1: no line with END follows');
});

test('a failing line is reported with the file and the line', async () => {
  const options = { directory: createTemporaryDirectory(), dialect: 'omp', file: 'b.txt' };
  await expect(runScenario('\n< {"type":"other"}', options)).rejects.toThrow(/^b\.txt:2: < .*\n {2}differs at \$\./);
});

test('"$cwd" is the absolute path of the project directory, in sent and in expected frames', async () => {
  const directory = createTemporaryDirectory();
  const text = `model {"text":"Hello."}
> {"id":"a","type":"prompt","message":"$cwd"}
wait-idle
expect-log {"type":"session","cwd":"$cwd"}
expect-request {"messages":[{"role":"user","content":[{"type":"text","text":"$cwd"}]}]}
> {"id":"b","type":"bash","command":"pwd > where.txt"}
<~ {"id":"b","success":true}`;
  await runScenario(text, { directory, dialect: 'omp' });
  const [written] = readFileSync(join(directory, 'project', 'where.txt'), 'utf8').split('\n');
  expect(written).toBe(join(directory, 'project'));
});

test.each([
  ['model {"txt":"a"}', 'unknown field "txt". The fields are: thinking, text'],
  ['tool {"name":"a","slow":true}', 'unknown field "slow". The fields are: name, effect'],
])('%s is refused', async (line, message) => {
  await expect(runScenario(line, { directory: createTemporaryDirectory(), dialect: 'omp' })).rejects.toThrow(message);
});

test('docs/testing.md describes every keyword, field and export', () => {
  const page = read('docs/testing.md');
  const rows = [...page.matchAll(/^\| `(\S+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(expect.arrayContaining(Object.keys(KEYWORDS)));
  const exported = [
    ...read('src/testing/index.ts')
      .replace(/^\/\/.*/, '')
      .matchAll(/(?:type )?(\w+)(?=,| })/g),
  ].map(([, name]) => name);
  expect(exported.length).toBeGreaterThan(10);
  expect(exported.filter((name) => !new RegExp(`^\\| \`${name}[\`(]`, 'm').test(page))).toEqual([]);
  const fields = [...Object.keys(SCRIPTED_ANSWER_FIELDS), ...Object.keys(SCRIPTED_TOOL_FIELDS)];
  expect(fields.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
