// How an event is declared. Its type, docs and JSON Schema are generated from the declaration.
import type { GenericSchema, InferOutput, ObjectEntries, ObjectSchema } from 'valibot';

type Fields = ObjectSchema<ObjectEntries, undefined>;

export interface EventDeclaration<T extends string = string, F extends Fields = Fields> {
  readonly type: T;
  readonly doc: string;
  readonly fields: F;
  /**
   * A durable event always reaches the host, in order. The other events report progress: while the host reads slowly, a
   * later one may replace earlier ones.
   */
  readonly durable: boolean;
  /** Absent: stable, see docs/stability.md. */
  readonly stability?: 'experimental';
}

export function event<const T extends string, F extends Fields>(
  type: T,
  doc: string,
  fields: F,
  options: Partial<Pick<EventDeclaration, 'durable' | 'stability'>> = {},
): EventDeclaration<T, F> {
  return { type, doc, fields, durable: true, ...options };
}

export type EventOf<D> =
  D extends EventDeclaration<infer T, infer F>
    ? { type: T } & (F extends GenericSchema ? InferOutput<F> : never)
    : never;
