// The path policy for session files and pages that a command line or a host names, in the built program.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories, type ProgramDirectories, runProgram, startRpc } from '../support/program.ts';
import { listSessionFiles } from '../support/session-files.ts';

const ENFORCE = ['--set', 'paths=enforce', '--model', 'parley/offline'];
const REFUSAL = 'is outside the working directory';
const SESSION = 'stored.jsonl';

interface Places extends ProgramDirectories {
  readonly outside: string;
  /** Of the default session directory. */
  readonly sessions: string;
}

function createPlaces(): Places {
  const { home, cwd } = createDirectories();
  const outside = realpathSync(mkdtempSync(join(dirname(cwd), 'outside-')));
  const sessions = join(home, 'sessions', 'other');
  mkdirSync(sessions, { recursive: true });
  const header = { type: 'session', version: 3, id: 'stored', timestamp: '2026-01-01T00:00:00.000Z', cwd };
  for (const directory of [outside, sessions, cwd])
    writeFileSync(join(directory, SESSION), `${JSON.stringify(header)}\n`);
  writeFileSync(join(outside, 'empty.jsonl'), '');
  symlinkSync(join(outside, SESSION), join(cwd, 'link.jsonl'));
  symlinkSync(join(outside, 'absent.jsonl'), join(cwd, 'dangling.jsonl'));
  symlinkSync(outside, join(cwd, 'linked'));
  return { home, cwd, outside, sessions };
}

/** Paths that lead to `outside`. Those of sessions that exist first. */
function listEscapes({ cwd, outside }: Places): { stored: string[]; creatable: string[] } {
  const up = `../${outside.slice(dirname(cwd).length + 1)}`;
  return {
    stored: [join(outside, SESSION), `${up}/${SESSION}`, 'link.jsonl', `linked/${SESSION}`],
    creatable: [
      join(outside, 'absent.jsonl'),
      join(outside, 'empty.jsonl'),
      `${up}/absent.jsonl`,
      'dangling.jsonl',
      'linked/absent.jsonl',
    ],
  };
}

const readAll = (directory: string) =>
  readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]);

test('--session and --fork refuse files outside, and change nothing', async () => {
  const places = createPlaces();
  const before = readAll(places.outside);
  const { stored, creatable } = listEscapes(places);
  const [absolute, relative, link, throughLink] = stored;
  const attempts = [
    ...[absolute, link, ...creatable.slice(1)].map((file) => ['--session', `${file}`]),
    ...[relative, throughLink].map((file) => ['--fork', `${file}`]),
  ];
  for (const flags of attempts) {
    const { code, stdout, stderr } = await runProgram([...ENFORCE, ...flags, 'say `hi`'], '', { directories: places });
    expect([flags, code, stdout, stderr]).toEqual([flags, 1, '', expect.stringContaining(REFUSAL)]);
  }
  expect(readAll(places.outside)).toEqual(before);
  expect(listSessionFiles(places.home)).toEqual([join(places.sessions, SESSION)]);
});

test('--session and --fork accept files of the session directories and of the working directory', async () => {
  const places = createPlaces();
  const attempts = [
    ['--session', join(places.sessions, 'new.jsonl')],
    ['--session', 'sub/../new.jsonl'],
    ['--fork', join(places.sessions, SESSION)],
    ['--session-dir', places.outside, '--session', 'stored'],
    ['--session-dir', places.outside, '--session', join(places.outside, 'absent.jsonl')],
  ];
  mkdirSync(join(places.cwd, 'sub'));
  for (const flags of attempts) {
    const outcome = await runProgram([...ENFORCE, ...flags, 'say `hi`'], '', { directories: places });
    expect([flags, outcome]).toEqual([flags, { code: 0, signal: null, stdout: 'hi\n', stderr: '' }]);
  }
  expect(existsSync(join(places.cwd, 'new.jsonl'))).toBe(true);
});

test('switch_session, open_session and export_html refuse files outside, and change nothing', async () => {
  const places = createPlaces();
  const before = readAll(places.outside);
  const program = startRpc(ENFORCE, { directories: places });
  program.send({ type: 'prompt', message: 'say `hi`' });
  await program.nextFrame({ type: 'agent_settled' });
  const { stored, creatable } = listEscapes(places);
  const refused = { success: false, error: expect.stringContaining(REFUSAL) };
  for (const sessionPath of [...stored, join(places.outside, 'empty.jsonl')])
    expect(await program.call({ type: 'switch_session', sessionPath })).toMatchObject(refused);
  for (const sessionDir of [places.outside, 'linked', join(places.outside, 'absent'), 'linked/absent'])
    expect(await program.call({ type: 'open_session', sessionDir })).toMatchObject(refused);
  for (const outputPath of creatable)
    expect(await program.call({ type: 'export_html', outputPath })).toMatchObject({
      success: false,
      error: expect.stringMatching(/outside the (working|writable)/),
    });
  expect(readAll(places.outside)).toEqual(before);

  const worked = { success: true, data: { cancelled: false } };
  expect(await program.call({ type: 'switch_session', sessionPath: join(places.sessions, SESSION) })).toMatchObject(
    worked,
  );
  expect(await program.call({ type: 'open_session', sessionDir: 'new' })).toMatchObject(worked);
  expect(await program.call({ type: 'open_session', sessionDir: join(places.home, 'sessions', 'new') })).toMatchObject(
    worked,
  );
});
