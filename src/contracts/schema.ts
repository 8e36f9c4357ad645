// Validates values against valibot schemas and formats the error messages. No other file reads valibot's issue objects.
import { type GenericSchema, type InferOutput, safeParse } from 'valibot';
import { describeType, Fault } from '../base/index.ts';

export type Schema<Output = unknown> = GenericSchema<unknown, Output>;

/** Throws a Fault that names up to three invalid fields, with the expected and the actual value. */
export function validate<S extends GenericSchema>(schema: S, value: unknown): InferOutput<S> {
  const result = safeParse(schema, value);
  if (result.success) return result.output;
  const sentences = result.issues.slice(0, 3).map(describeIssue);
  throw new Fault('invalid_params', [...new Set(sentences)].join('; '));
}

interface ValidationIssue {
  kind: string;
  type: string;
  message: string;
  input: unknown;
  expected: string | null;
  path?: readonly { key: unknown }[] | undefined;
  issues?: readonly ValidationIssue[] | undefined;
}

function describeIssue(raw: unknown): string {
  const issue = findRelevantIssue(raw as ValidationIssue);
  const field = (issue.path ?? []).reduce<string>((text, { key }) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
  const subject = field === '' ? 'value' : field;
  if (issue.input === undefined) return `${subject} is required`;
  if (issue.type === 'strict_object' && issue.expected === 'never') return `${subject} is not a known field`;
  if (issue.kind === 'validation') return subject + describeRule(issue);
  return `${subject} must be ${describeExpected(issue.expected)} (got ${formatInput(issue.input, describeType)})`;
}

/** The message of a custom rule is a predicate ("must be …"), to which the actual value is added, or a complete sentence. */
function describeRule({ message, input }: ValidationIssue): string {
  if (!message.startsWith('must ')) return `: ${message}`;
  return message.includes('(got ') ? ` ${message}` : ` ${message} (got ${formatInput(input, String)})`;
}

function formatInput(input: unknown, formatNumber: (value: number) => string): string {
  if (typeof input === 'string') return JSON.stringify(truncateText(input));
  return typeof input === 'number' ? formatNumber(input) : describeType(input);
}

/**
 * A union reports one issue for each variant that failed, each with its own path. A field that is present and wrong is more
 * relevant than a field that another variant requires; then the deepest path wins.
 */
function findRelevantIssue(validationIssue: ValidationIssue): ValidationIssue {
  const nested = validationIssue.issues?.filter((inner) => inner.path?.length) ?? [];
  const rank = ({ input, path }: ValidationIssue) => (input === undefined ? 0 : 100) + (path?.length ?? 0);
  const best = nested.sort((a, b) => rank(b) - rank(a))[0];
  return best
    ? findRelevantIssue({ ...best, path: [...(validationIssue.path ?? []), ...(best.path ?? [])] })
    : validationIssue;
}

function describeExpected(expected: string | null): string {
  if (!expected) return 'a different value';
  const options = expected.replace(/^\((.*)\)$/, '$1').split(' | ');
  return options.map(addArticle).join(' or ');
}

function addArticle(type: string): string {
  if (type === 'Object' || type === 'Array') return `an ${type.toLowerCase()}`;
  return /^(string|number|boolean)$/.test(type) ? `a ${type}` : type;
}

function truncateText(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
