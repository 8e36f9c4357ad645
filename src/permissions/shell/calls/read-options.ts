// Reads the options of programs that call other programs. Options that are not in the table are not guessed.
import type { ShellWord } from '../parsed-command.ts';

export interface OptionTable {
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options with a value, attached or in the next word. */
  readonly values?: string;
  /** Letters of options with a value that is attached or missing. */
  readonly optionalValues?: string;
  readonly longFlags?: readonly string[];
  readonly longValues?: readonly string[];
}

export interface ReadOptions {
  /** The words after the options. */
  readonly operands: readonly ShellWord[];
  /** By letter or long name. */
  readonly values: ReadonlyMap<string, ShellWord>;
}

/** Returns `undefined` when an option is not in the table or not known. */
export function readOptions(args: readonly ShellWord[], table: OptionTable): ReadOptions | undefined {
  const values = new Map<string, ShellWord>();
  let index = 0;
  for (; index < args.length; index += 1) {
    const word = args[index];
    if (word?.value === undefined) return undefined;
    const text = word.value;
    if (text === '--') return { operands: args.slice(index + 1), values };
    if (!text.startsWith('-') || text === '-') break;
    const taken = text.startsWith('--')
      ? readLong(text.slice(2), args[index + 1], table, values)
      : readCluster(text.slice(1), args[index + 1], table, values);
    if (taken === undefined) return undefined;
    index += taken;
  }
  return { operands: args.slice(index), values };
}

type Values = Map<string, ShellWord>;

/** Returns how many of the following words are taken. */
function readLong(text: string, next: ShellWord | undefined, table: OptionTable, values: Values): number | undefined {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  if (table.longFlags?.includes(name) && equals < 0) return setValue(values, name, '', 0);
  if (!table.longValues?.includes(name)) return undefined;
  if (equals >= 0) return setValue(values, name, text.slice(equals + 1), 0);
  return takeNext(values, name, next);
}

function readCluster(
  text: string,
  next: ShellWord | undefined,
  table: OptionTable,
  values: Values,
): number | undefined {
  for (const [at, letter] of [...text].entries()) {
    const rest = text.slice(at + 1);
    if (table.flags?.includes(letter)) setValue(values, letter, '', 0);
    else if (table.optionalValues?.includes(letter)) return setValue(values, letter, rest, 0);
    else if (!table.values?.includes(letter)) return undefined;
    else return rest === '' ? takeNext(values, letter, next) : setValue(values, letter, rest, 0);
  }
  return 0;
}

function takeNext(values: Values, name: string, next: ShellWord | undefined): number | undefined {
  if (!next || next.canSplit) return undefined;
  values.set(name, next);
  return 1;
}

function setValue(values: Values, name: string, value: string, taken: number): number {
  values.set(name, { value, source: value, canSplit: false });
  return taken;
}
