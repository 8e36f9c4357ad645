// The hall: changes to the user's settings file. Many processes may make them; comments and everything else in it stay.
import { dirname, join } from 'node:path';
import { Fault, isRecord } from '../base/index.ts';
import type { Ports } from '../contracts/index.ts';
import { withFileLock } from '../llm/credentials/file-lock.ts';
import { checkSetting, isKnown, mayRestrict, unknownKey } from './settings-keys.ts';
import { parseSettings } from './settings-text.ts';

interface Place {
  readonly ports: Pick<Ports, 'files' | 'clock' | 'ids'>;
  /** The user's own directory. */
  readonly directory: string;
}

/** Each key flat and dotted; `undefined` takes it out. Checked before anything is written. Returns the file. */
export async function writeSettings(
  { ports, directory }: Place,
  changes: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { files } = ports;
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    if (isKnown(key)) checkSetting(key, value);
    // A file that holds it would keep every later start from running.
    else if (mayRestrict(key)) throw unknownKey(key);
  }
  // A link to the file is the user's way of keeping it elsewhere; the lock belongs beside the file itself.
  const file = await files.resolve(join(directory, 'settings.json'));
  await files.makeDirectory(dirname(file), { mode: 0o700 });
  await withFileLock(ports, file, async (stillHeld) => {
    const info = await files.info(file);
    const before = info ? new TextDecoder().decode(await files.read(file)) : '';
    const after = await edited(before, changes);
    if (!(await stillHeld())) throw new Fault('busy', `${file} was taken over by another process. Try again.`);
    await files.replace(file, new TextEncoder().encode(after), { mode: info?.mode ?? 0o600 });
  });
  return file;
}

async function edited(before: string, changes: Readonly<Record<string, unknown>>): Promise<string> {
  const parsed = await parseSettings(before);
  if (!isRecord(parsed)) throw new Fault('config', 'the settings file does not hold an object; mend it first');
  const { applyEdits, modify } = await import('jsonc-parser');
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  let text = before.trim() === '' ? '{}\n' : before;
  for (const [key, value] of Object.entries(changes)) {
    const spellings = [...spellingsIn(parsed, key.split('.'))];
    // Where it stands already, however it is nested there; the last of several counts, so the others go.
    const place = spellings.at(-1) ?? [key];
    for (const path of spellings.slice(0, -1))
      text = applyEdits(text, modify(text, path, undefined, { formattingOptions }));
    if (value === undefined && spellings.length === 0) continue;
    text = applyEdits(text, modify(text, place, value, { formattingOptions }));
  }
  return text;
}

/** Every way in which the file spells the key: `a.b`, or `b` inside `a`, in the order that the file has them. */
function* spellingsIn(record: Record<string, unknown>, parts: readonly string[]): Generator<string[]> {
  for (const [name, value] of Object.entries(record)) {
    const rest = parts.slice(name.split('.').length);
    if (parts.slice(0, parts.length - rest.length).join('.') !== name) continue;
    if (rest.length === 0) yield [name];
    else if (isRecord(value)) for (const path of spellingsIn(value, rest)) yield [name, ...path];
  }
}
