// Changes the user's settings file. Keeps comments and all other content. Uses a lock, because several processes may write.
import { dirname, join } from 'node:path';
import { Fault, isRecord } from '../base/index.ts';
import type { Ports } from '../contracts/index.ts';
import { withFileLock } from '../support/file-lock.ts';
import { parseJsonc } from '../support/jsonc.ts';
import { checkUniqueKeys } from './duplicate-keys.ts';
import { checkSetting, isSettingKey } from './setting-keys.ts';
import { SETTINGS } from './settings-table.ts';
import { canRestrict, createUnknownKeyFault } from './unknown-keys.ts';

interface WriteSettingsOptions {
  readonly ports: Pick<Ports, 'files' | 'clock' | 'ids'>;
  /** The user's Parley directory, or the one of a project. */
  readonly agentDirectory: string;
  /** Other users may read the file. */
  readonly isShared?: boolean | undefined;
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

/**
 * Like `writeSettings`, with changes that depend on the settings in the file. `getValue` is called while the file is locked. For a list
 * it returns the items of all occurrences of the key.
 */
export async function changeSettings(
  { ports, agentDirectory, isShared }: WriteSettingsOptions,
  getChanges: (getValue: (key: string) => unknown) => Changes,
): Promise<string> {
  const { files } = ports;
  // settings.json may be a link to a file elsewhere. The lock must be next to the target file.
  const file = await files.realPath(join(agentDirectory, 'settings.json'));
  await files.makeDirectory(dirname(file), { mode: isShared ? 0o755 : 0o700 });
  await withFileLock(ports, file, async (assertLockHeld) => {
    const info = await files.info(file);
    const before = info ? new TextDecoder().decode(await files.read(file)) : '';
    const after = await editSettingsText(before, file, getChanges);
    await assertLockHeld();
    await files.replace(file, new TextEncoder().encode(after), { mode: info?.mode ?? (isShared ? 0o644 : 0o600) });
  });
  return file;
}

async function editSettingsText(
  before: string,
  file: string,
  getChanges: (getValue: (key: string) => unknown) => Changes,
): Promise<string> {
  const parsed = await parseJsonc(before, file);
  if (!isRecord(parsed)) throw new Fault('config', `${file} does not contain a JSON object. Fix the file first.`);
  const changes = getChanges((key) => readValue(parsed, key));
  checkChanges(changes);
  await checkUniqueKeys(before, Object.keys(changes));
  const edit = await createEditor();
  let text = before.trim() === '' ? '{}\n' : before;
  for (const [key, value] of Object.entries(changes)) {
    const paths = [...findKeyPaths(parsed, key.split('.'))];
    // Changes the key where the file already has it, nested or dotted. The new value replaces all occurrences.
    const targetPath = paths.at(-1) ?? [key];
    for (const path of paths.slice(0, -1)) text = edit(text, path, undefined);
    const current = readPath(parsed, targetPath);
    if (Array.isArray(current) && Array.isArray(value)) text = editList(text, targetPath, { current, value, edit });
    else if (value !== undefined || paths.length > 0) text = edit(text, targetPath, value);
  }
  return text;
}

type Edit = (text: string, path: readonly (string | number)[], value: unknown, isArrayInsertion?: boolean) => string;

async function createEditor(): Promise<Edit> {
  const { applyEdits, modify } = await import('jsonc-parser');
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  return (text, path, value, isArrayInsertion = false) =>
    applyEdits(text, modify(text, [...path], value, { formattingOptions, isArrayInsertion }));
}

interface ListChange {
  readonly current: readonly unknown[];
  readonly value: readonly unknown[];
  readonly edit: Edit;
}

/** Removes and appends single items, so that comments and line breaks between the others are kept. */
function editList(text: string, path: readonly string[], { current, value, edit }: ListChange): string {
  const kept = current.filter((item) => value.includes(item));
  const isAppended = kept.length > 0 && kept.every((item, index) => item === value[index]);
  if (!isAppended) return edit(text, path, value);
  let edited = text;
  for (let index = current.length - 1; index >= 0; index -= 1)
    if (!value.includes(current[index])) edited = edit(edited, [...path, index], undefined);
  for (let index = kept.length; index < value.length; index += 1)
    edited = edit(edited, [...path, index], value[index], true);
  return edited;
}

/** Of several occurrences of a key only the last has effect, except for lists of which all are used. */
function readValue(parsed: Record<string, unknown>, key: string): unknown {
  const values = [...findKeyPaths(parsed, key.split('.'))].map((path) => readPath(parsed, path)).reverse();
  const isAccumulated = isSettingKey(key) && String(SETTINGS[key].fromProject).startsWith('accumulate');
  return isAccumulated ? [...new Set(values.filter(Array.isArray).flat())] : values[0];
}

function readPath(parsed: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => (isRecord(value) ? value[name] : undefined), parsed);
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
