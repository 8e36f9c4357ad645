// Splits Markdown files into frontmatter and body. The YAML parser is loaded with the first file that has frontmatter.
export interface FrontmatterDocument {
  /** Empty when the text has no frontmatter. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/;

/** Throws a Fault that names the line. */
export async function parseFrontmatter(text: string): Promise<FrontmatterDocument> {
  const { yaml, body } = splitFrontmatter(text);
  if (yaml.trim() === '') return { fields: {}, body };
  const { parseYamlFields } = await import('./yaml-fields.ts');
  return { fields: parseYamlFields(yaml), body };
}

/** `yaml` is the text between the `---` lines; empty when there are none. */
export function splitFrontmatter(text: string): { readonly yaml: string; readonly body: string } {
  const match = FRONTMATTER.exec(text);
  if (!match) return { yaml: '', body: text };
  return { yaml: match[1] ?? '', body: text.slice(match[0].length).replace(/^(?:[ \t]*\r?\n)+/, '') };
}
