// Splits Markdown files into frontmatter and body. The YAML parser is loaded with the first frontmatter that needs it.
export interface FrontmatterDocument {
  /** Empty when the text has no frontmatter. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/;

/** Throws a Fault that names the line. */
export async function parseFrontmatter(text: string): Promise<FrontmatterDocument> {
  const { yaml, body } = splitFrontmatter(text);
  const plainFields = parsePlainFields(yaml);
  if (plainFields) return { fields: plainFields, body };
  const { parseYamlFields } = await import('./yaml-fields.ts');
  return { fields: parseYamlFields(yaml), body };
}

/** A name and a text that begins with a letter, which is no number in YAML. */
const PLAIN_FIELD = /^([A-Za-z][\w-]*): +([A-Za-z][^\p{Cc}\u2028\u2029\uFEFF]*)$/u;
/** Another field, a comment, or a space that is not the usual one. */
const YAML_SYNTAX = /: |:$| #|[^\S ]/;
const YAML_WORD = /^(?:true|false|null)$/i;

/** Parses one-line texts without the YAML parser, which takes several milliseconds to load. Returns `undefined` for anything else. */
export function parsePlainFields(yaml: string): Record<string, string> | undefined {
  const fields: Record<string, string> = {};
  for (const line of yaml.split(/\r?\n/)) {
    if (/^ *$/.test(line) || line.startsWith('#')) continue;
    const [, name = '', text = ''] = PLAIN_FIELD.exec(line) ?? [];
    const value = text.trimEnd();
    if (value === '' || YAML_SYNTAX.test(text) || YAML_WORD.test(value) || Object.hasOwn(fields, name))
      return undefined;
    fields[name] = value;
  }
  return fields;
}

/** `yaml` is the text between the `---` lines; empty when there are none. */
export function splitFrontmatter(text: string): { readonly yaml: string; readonly body: string } {
  const match = FRONTMATTER.exec(text);
  if (!match) return { yaml: '', body: text };
  return { yaml: match[1] ?? '', body: text.slice(match[0].length).replace(/^(?:[ \t]*\r?\n)+/, '') };
}
