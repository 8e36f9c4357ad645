// First floor, core: skills, which are instructions that the model reads when it needs them. Finds and checks them.
import { basename, dirname, extname, join } from 'node:path';
import type { Place } from '../../contracts/index.ts';
import { type FoundFile, namesIn, type Reading, readOrTell } from './markdown-files.ts';

export interface Skill extends FoundFile {
  readonly name: string;
  readonly description: string;
  /** What its text calls relative. */
  readonly directory: string;
  /** The model is not told of it; only a person calls it by name. */
  readonly hidden: boolean;
}

const FILE = 'SKILL.md';
const NAME = /^[a-z0-9-]{1,64}$/;
const LONGEST_DESCRIPTION = 1024;
const DEEPEST = 4;

/** Strongest first: of two with one name the first counts. `problems` gets one sentence each. */
export async function findSkills(
  files: Reading,
  { folders, named }: { folders: readonly Place[]; named: readonly string[] },
  problems: string[],
): Promise<readonly Skill[]> {
  const found: FoundFile[] = [];
  for (const path of named) found.push(...(await namedSkills(files, path, problems)));
  for (const { path, level } of folders) {
    // Folders that several programs share hold only folders; in ours a single file will do.
    const singles = !path.includes('/.agents/');
    for (const file of await skillFiles(files, path, { singles, depth: 0 })) found.push({ path: file, level });
  }
  const skills = new Map<string, Skill>();
  for (const file of found) {
    const skill = await readSkill(files, file, problems);
    const before = skill && skills.get(skill.name);
    if (before && before.path !== skill.path) {
      problems.push(`${skill.path}: skill ${skill.name} is also in ${before.path}, which counts`);
    } else if (skill && !before) skills.set(skill.name, skill);
  }
  return [...skills.values()];
}

async function namedSkills(files: Reading, path: string, problems: string[]): Promise<FoundFile[]> {
  const info = await files.info(path).catch(() => undefined);
  if (!info) problems.push(`${path}: there is no skill`);
  const paths = info?.kind === 'directory' ? await skillFiles(files, path, { singles: true, depth: 0 }) : [path];
  return info ? paths.map((file): FoundFile => ({ path: file, level: 'path' })) : [];
}

async function skillFiles(
  files: Reading,
  folder: string,
  { singles, depth }: { singles: boolean; depth: number },
): Promise<string[]> {
  const names = await namesIn(files, folder);
  if (names.includes(FILE)) return [join(folder, FILE)];
  const found: string[] = [];
  for (const name of names) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    const path = join(folder, name);
    const isSingle = singles && depth === 0 && extname(name) === '.md';
    if (isSingle) found.push(path);
    else if (depth < DEEPEST && extname(name) === '') {
      found.push(...(await skillFiles(files, path, { singles: false, depth: depth + 1 })));
    }
  }
  return found;
}

async function readSkill(files: Reading, file: FoundFile, problems: string[]): Promise<Skill | undefined> {
  const document = await readOrTell(files, file.path, problems);
  if (!document) return undefined;
  const { fields } = document;
  const directory = dirname(file.path);
  const named = basename(file.path) === FILE ? basename(directory) : basename(file.path, '.md');
  const name = typeof fields.name === 'string' ? fields.name.trim() : named;
  const description = typeof fields.description === 'string' ? fields.description.trim() : '';
  const say = (sentence: string) => problems.push(`${file.path}: ${sentence}`);
  if (description === '') {
    say('a skill needs a description; it is ignored');
    return undefined;
  }
  if (name === '' || /[\s<>"&/]/.test(name)) {
    say(`"${name}" cannot be the name of a skill; it is ignored`);
    return undefined;
  }
  if (!NAME.test(name)) say(`the name ${name} should have at most 64 small letters, digits and hyphens`);
  if (description.length > LONGEST_DESCRIPTION) say(`the description is longer than ${LONGEST_DESCRIPTION} characters`);
  return { ...file, name, description, directory, hidden: fields['disable-model-invocation'] === true };
}

/** What the model is told of them; empty when there are none. */
export function skillsBlock(skills: readonly Skill[]): string {
  const offered = skills.filter(({ hidden }) => !hidden);
  if (offered.length === 0) return '';
  const entries = offered.map(
    ({ name, description, path }) =>
      `<skill><name>${escaped(name)}</name><description>${escaped(description)}</description><location>${escaped(path)}</location></skill>`,
  );
  return [
    'Skills hold instructions for special tasks. When a task fits a description, read the file at its location first. Paths in it are relative to its folder.',
    `<available_skills>\n${entries.join('\n')}\n</available_skills>`,
  ].join('\n');
}

function escaped(text: string): string {
  return text.slice(0, LONGEST_DESCRIPTION).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The words that `/skill:name rest` stands for. The shape is what models and hosts of the pi family know. */
export function skillCall({ name, path, directory }: Skill, body: string, rest: string): string {
  const block = `<skill name="${name}" location="${path}">\nReferences are relative to ${directory}.\n\n${body.trim()}\n</skill>`;
  return rest === '' ? block : `${block}\n\n${rest}`;
}
