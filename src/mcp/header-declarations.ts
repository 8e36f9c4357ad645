// Checks the declarations by which a server asks for arguments of a tool as HTTP headers (`x-mcp-header`, protocol version 2026-07-28).
import { isRecord } from '../base/index.ts';

const KEYWORD = 'x-mcp-header';
/** The characters of a header name (RFC 9110). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/** What is wrong, to complete "its schema"; `undefined` for a valid schema. Clients must not use a tool with an invalid declaration. */
export function findHeaderProblem(schema: unknown): string | undefined {
  const names = new Set<string>();
  /** `isArgument`: the value of the schema is found in the arguments by property names alone. */
  const visit = (value: unknown, isArgument: boolean): string | undefined => {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value)) return findFirst(value, (item) => visit(item, false));
    const { properties, ...keywords } = value as Record<string, unknown>;
    const problem = Object.hasOwn(value, KEYWORD) ? checkDeclaration(keywords, isArgument, names) : undefined;
    if (problem !== undefined) return problem;
    const members = isRecord(properties) ? Object.values(properties) : [];
    return (
      findFirst(members, (member) => visit(member, isArgument)) ??
      findFirst(Object.values(keywords), (member) => visit(member, false))
    );
  };
  // The root is the arguments object itself, which cannot be a header.
  return visit(schema, true);
}

function checkDeclaration(
  { [KEYWORD]: name, type }: Record<string, unknown>,
  isArgument: boolean,
  names: Set<string>,
): string | undefined {
  if (typeof name !== 'string' || !TOKEN.test(name)) return `has an invalid header name in ${KEYWORD}`;
  if (!isArgument || !TYPES.includes(type)) return `has ${KEYWORD} at a value that cannot be a header`;
  const key = name.toLowerCase();
  if (names.has(key)) return `declares the header ${name} twice`;
  names.add(key);
  return undefined;
}

function findFirst<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
