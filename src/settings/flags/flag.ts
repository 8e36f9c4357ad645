// The declaration of a command-line flag. Its documentation is in flag-docs.ts.
import type { SettingKey } from '../settings-table.ts';

/**
 * - `switch`: present or absent.
 * - `text`, `choice`: one value; the last occurrence wins.
 * - `number`, `count`: above 0; a count is an integer.
 * - `list`: values separated by commas; the last occurrence wins.
 * - `lists`: like `list`, but all occurrences are merged, and an empty list is an error.
 * - `repeat`: one value per occurrence; all are kept.
 * - `search`: with or without a value; the empty string means no value.
 */
type FlagKind = 'switch' | 'text' | 'choice' | 'number' | 'count' | 'list' | 'lists' | 'repeat' | 'search';

/** A flag without `setting` and `option` is read by its name in the code of a mode. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** A short form of two or three letters, such as `-xt`. */
  readonly alias?: string;
  /** The name of the flag that this flag stands for. */
  readonly aliasOf?: string;
  readonly kind: FlagKind;
  readonly choices?: readonly string[];
  /** Name of the value in the help text. */
  readonly placeholder?: string;
  /** The setting that the flag overrides. The schema of the setting checks the value. */
  readonly setting?: SettingKey;
  /** The agent option that the flag sets. The row declares the option: AgentOptions has a member of this name and of the type of the value. */
  readonly option?: string;
  /** Converts the value of the flag to that of the setting or option. Called only when the flag is given. */
  readonly convert?: (value: never) => unknown;
  /** An empty value, as of an unset shell variable, is an error. */
  readonly rejectsEmpty?: true;
  /** The flag selects or names the first session, so it has no effect when the host opens the sessions. */
  readonly isForFirstSession?: true;
}

/** What a mode gets for a flag. */
export type FlagValue<F extends Flag> = F extends { kind: 'switch' }
  ? boolean
  : F extends { kind: 'repeat' | 'lists' | 'list' }
    ? readonly string[]
    : F extends { kind: 'number' | 'count' }
      ? number
      : F extends { choices: readonly (infer Choice)[] }
        ? Choice
        : string;

/** What the setting or option of a flag gets. */
export type ConvertedValue<F extends Flag> = F extends { convert: (value: never) => infer Value }
  ? Value
  : FlagValue<F>;
