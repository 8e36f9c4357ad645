// Which characters a key may have: those that an HTTP header can carry. Never quotes the key. Pure.
import { Fault } from '../../base/index.ts';

/**
 * What no header can carry, in words that follow "contains": `a line break at character 8`. Spaces, letters, digits and
 * signs of ASCII are all that keys are made of.
 */
export function unsendable(key: string): string | undefined {
  const at = key.search(/[^ -~]/);
  if (at === -1) return undefined;
  const code = key.codePointAt(at) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const what =
    code === 10 || code === 13
      ? 'a line break'
      : code < 0x80
        ? `the control character ${name}`
        : `${name}, which is not ASCII,`;
  return `${what} at character ${at + 1}`;
}

/** For a key that is about to be saved. A command that prints one may have any characters. */
export function checkSavedKey(key: string, name = 'The key'): void {
  const found = key.startsWith('!') ? undefined : unsendable(key);
  if (found === undefined) return;
  throw new Fault(
    'invalid_params',
    `${name} contains ${found}: HTTP headers cannot carry it. Send the key without it.`,
  );
}

/** The key without white space around it, which files and variables often end with. `source` says where it can be changed. */
export function sendableKey(key: string, provider: string, source: string): string {
  const trimmed = key.trim();
  const found = unsendable(trimmed);
  if (trimmed !== '' && found === undefined) return trimmed;
  const why = found === undefined ? 'is blank' : `contains ${found}: HTTP headers cannot carry it`;
  throw new Fault('no_credentials', `The key of ${provider} ${why}. Set it again in ${source}.`);
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** One header of models.json. Values may have letters of Latin-1 too. */
export function sendableHeader(name: string, value: string, provider: string, path: string): [string, string] {
  const trimmed = value.trim();
  if (!HEADER_NAME.test(name)) {
    throw new Fault(
      'config',
      `${JSON.stringify(name)} cannot be the name of an HTTP header. Correct the headers of ${provider} in ${path}.`,
    );
  }
  if (/[^\t -~\u0080-\u00ff]/.test(trimmed)) {
    const found = unsendable(trimmed.replace(/[\t\u0080-\u00ff]/g, ' '));
    throw new Fault(
      'config',
      `The header ${name} of ${provider} contains ${found}: HTTP cannot carry it. Correct it in ${path}.`,
    );
  }
  return [name, trimmed];
}
