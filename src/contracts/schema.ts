// Ground floor: what counts as a schema here, and how a refusal reads. The only place that knows valibot's issue objects.
import { type GenericSchema, type InferOutput, safeParse } from 'valibot';
import { Fault, kindOf } from '../base/index.ts';

export type Schema<Output = unknown> = GenericSchema<unknown, Output>;

/** Checks a value. A refusal names every offending field, what it should be and what it was. */
export function check<S extends GenericSchema>(schema: S, value: unknown): InferOutput<S> {
  const result = safeParse(schema, value);
  if (result.success) return result.output;
  const sentences = result.issues.slice(0, 3).map(describe);
  throw new Fault('invalid_params', [...new Set(sentences)].join('; '));
}

interface Issue {
  kind: string;
  type: string;
  message: string;
  input: unknown;
  expected: string | null;
  path?: readonly { key: unknown }[] | undefined;
  issues?: readonly Issue[] | undefined;
}

function describe(raw: unknown): string {
  const issue = nearest(raw as Issue);
  const field = (issue.path ?? []).reduce<string>((text, { key }) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
  const subject = field === '' ? 'value' : field;
  if (issue.input === undefined) return `${subject} is required`;
  if (issue.kind === 'validation') return subject + verdict(issue);
  return `${subject} must be ${wanted(issue.expected)} (got ${shown(issue.input, kindOf)})`;
}

/** A rule of the schema's own may be a half sentence, which lacks only what it was given, or a whole one. */
function verdict({ message, input }: Issue): string {
  if (!message.startsWith('must ')) return `: ${message}`;
  return message.includes('(got ') ? ` ${message}` : ` ${message} (got ${shown(input, String)})`;
}

function shown(input: unknown, plain: (value: unknown) => string): string {
  if (typeof input === 'string') return JSON.stringify(cut(input));
  return typeof input === 'number' ? plain(input) : kindOf(input);
}

/**
 * A union reports one issue per variant that failed, each with a path of its own. What the sender meant is what is there and
 * wrong, rather than what another variant would have had; then the deepest.
 */
function nearest(issue: Issue): Issue {
  const nested = issue.issues?.filter((inner) => inner.path?.length) ?? [];
  const rank = ({ input, path }: Issue) => (input === undefined ? 0 : 100) + (path?.length ?? 0);
  const best = nested.sort((a, b) => rank(b) - rank(a))[0];
  return best ? nearest({ ...best, path: [...(issue.path ?? []), ...(best.path ?? [])] }) : issue;
}

function wanted(expected: string | null): string {
  if (!expected) return 'something else';
  const options = expected.replace(/^\((.*)\)$/, '$1').split(' | ');
  return options.map(withArticle).join(' or ');
}

function withArticle(type: string): string {
  if (type === 'Object' || type === 'Array') return `an ${type.toLowerCase()}`;
  return /^(string|number|boolean)$/.test(type) ? `a ${type}` : type;
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
