// The hall: the words in which a setting is declared. Knows no setting.
import { type GenericSchema, type InferOutput, integer, minValue, number, pipe } from 'valibot';

export interface Setting<S extends GenericSchema, D> {
  readonly schema: S;
  readonly default: D;
  readonly doc: string;
  /** It forbids or limits something: a value that cannot be used is an error and never replaced by the default. */
  readonly restricts?: true;
}

export function setting<S extends GenericSchema>(
  schema: S,
  value: InferOutput<S>,
  doc: string,
): Setting<S, InferOutput<S>> {
  return { schema, default: value, doc };
}

/** A setting that is absent unless someone sets it. */
export function unset<S extends GenericSchema>(schema: S, doc: string): Setting<S, undefined> {
  return { schema, default: undefined, doc };
}

export function restricting<S extends GenericSchema, D>(declared: Setting<S, D>): Setting<S, D> {
  return { ...declared, restricts: true };
}

export function whole(least: number) {
  return pipe(number(), integer('must be a whole number'), minValue(least, `must be ${least} or more`));
}

export function atLeast(least: number) {
  return pipe(number(), minValue(least, `must be ${least} or more`));
}
