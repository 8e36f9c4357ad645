// Checks that keys and headers contain only characters that an HTTP header allows. Errors never quote the key.
import { Fault } from '../../base/index.ts';

/**
 * Describes the first character that a header cannot carry, to follow "contains": `a line break at character 8`. Allowed
 * are printable ASCII characters.
 */
export function findInvalidCharacter(key: string): string | undefined {
  const at = key.search(/[^ -~]/);
  if (at === -1) return undefined;
  const code = key.codePointAt(at) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const description =
    code === 10 || code === 13
      ? 'a line break'
      : code < 0x80
        ? `the control character ${name}`
        : `${name}, which is not ASCII,`;
  return `${description} at character ${at + 1}`;
}

/** For a key that is about to be saved. A command (`!…`) may contain any characters. */
export function assertKeyCharacters(key: string, name = 'The key'): void {
  const found = key.startsWith('!') ? undefined : findInvalidCharacter(key);
  if (found === undefined) return;
  throw new Fault(
    'invalid_params',
    `${name} contains ${found}: HTTP headers cannot carry it. Send the key without it.`,
  );
}

/** Trims the key, because files and variables often end with white space. `source` names where the user can change it. */
export function normalizeKey(key: string, provider: string, source: string): string {
  const trimmed = key.trim();
  const found = findInvalidCharacter(trimmed);
  if (trimmed !== '' && found === undefined) return trimmed;
  const reason = found === undefined ? 'is blank' : `contains ${found}: HTTP headers cannot carry it`;
  throw new Fault('no_credentials', `The key of ${provider} ${reason}. Set it again in ${source}.`);
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Checks one header of models.json. Values may also contain Latin-1 characters. */
export function normalizeHeader(name: string, value: string, provider: string, path: string): [string, string] {
  const trimmed = value.trim();
  if (!HEADER_NAME.test(name)) {
    throw new Fault(
      'config',
      `${JSON.stringify(name)} cannot be the name of an HTTP header. Correct the headers of ${provider} in ${path}.`,
    );
  }
  if (/[^\t -~\u0080-\u00ff]/.test(trimmed)) {
    const found = findInvalidCharacter(trimmed.replace(/[\t\u0080-\u00ff]/g, ' '));
    throw new Fault(
      'config',
      `The header ${name} of ${provider} contains ${found}: HTTP cannot carry it. Correct it in ${path}.`,
    );
  }
  return [name, trimmed];
}
