// Changes the user's settings file. Keeps comments and all other content. Uses a lock, because several processes may write.
import { dirname, join } from 'node:path';
import { Fault, isRecord } from '../base/index.ts';
import type { Ports } from '../contracts/index.ts';
import { withFileLock } from '../support/file-lock.ts';
import { parseJsonc } from '../support/jsonc.ts';
import { checkSetting, isSettingKey } from './setting-keys.ts';
import { canRestrict, createUnknownKeyFault } from './unknown-keys.ts';

interface WriteSettingsOptions {
  readonly ports: Pick<Ports, 'files' | 'clock' | 'ids'>;
  /** The user's Parley directory. */
  readonly agentDirectory: string;
}

type Changes = Readonly<Record<string, unknown>>;

/** Keys are flat and dotted; `undefined` removes a key. Changes are checked before the file is written. Returns its path. */
export async function writeSettings(options: WriteSettingsOptions, changes: Changes): Promise<string> {
  checkChanges(changes);
  return changeSettings(options, () => changes);
}

function checkChanges(changes: Changes): void {
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    if (isSettingKey(key)) checkSetting(key, value);
    // A file that contains it would make every later start fail.
    else if (canRestrict(key)) throw createUnknownKeyFault(key);
  }
}

/** Like `writeSettings`, with changes that depend on the settings in the file. `getValue` is called while the file is locked. */
export async function changeSettings(
  { ports, agentDirectory }: WriteSettingsOptions,
  getChanges: (getValue: (key: string) => unknown) => Changes,
): Promise<string> {
  const { files } = ports;
  // settings.json may be a link to a file elsewhere. The lock must be next to the target file.
  const file = await files.realPath(join(agentDirectory, 'settings.json'));
  await files.makeDirectory(dirname(file), { mode: 0o700 });
  await withFileLock(ports, file, async (assertLockHeld) => {
    const info = await files.info(file);
    const before = info ? new TextDecoder().decode(await files.read(file)) : '';
    const after = await editSettingsText(before, getChanges);
    await assertLockHeld();
    await files.replace(file, new TextEncoder().encode(after), { mode: info?.mode ?? 0o600 });
  });
  return file;
}

async function editSettingsText(
  before: string,
  getChanges: (getValue: (key: string) => unknown) => Changes,
): Promise<string> {
  const parsed = await parseJsonc(before);
  if (!isRecord(parsed)) throw new Fault('config', 'the settings file does not contain a JSON object; fix it first');
  const changes = getChanges((key) => readValue(parsed, [...findKeyPaths(parsed, key.split('.'))].at(-1)));
  checkChanges(changes);
  const { applyEdits, modify } = await import('jsonc-parser');
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  let text = before.trim() === '' ? '{}\n' : before;
  for (const [key, value] of Object.entries(changes)) {
    const paths = [...findKeyPaths(parsed, key.split('.'))];
    // Changes the key where the file already has it, nested or dotted. Of several occurrences only the last has effect, so the others
    // are removed.
    const targetPath = paths.at(-1) ?? [key];
    for (const path of paths.slice(0, -1))
      text = applyEdits(text, modify(text, path, undefined, { formattingOptions }));
    if (value === undefined && paths.length === 0) continue;
    text = applyEdits(text, modify(text, targetPath, value, { formattingOptions }));
  }
  return text;
}

function readValue(parsed: unknown, path: readonly string[] | undefined): unknown {
  return path?.reduce((value, name) => (isRecord(value) ? value[name] : undefined), parsed);
}

/** All paths at which the file contains the key, as `a.b` or as `b` inside `a`, in file order. */
function* findKeyPaths(record: Record<string, unknown>, parts: readonly string[]): Generator<string[]> {
  for (const [name, value] of Object.entries(record)) {
    const rest = parts.slice(name.split('.').length);
    if (parts.slice(0, parts.length - rest.length).join('.') !== name) continue;
    if (rest.length === 0) yield [name];
    else if (isRecord(value)) for (const path of findKeyPaths(value, rest)) yield [name, ...path];
  }
}
