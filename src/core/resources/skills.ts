// Finds, validates and formats skills: instruction files that the model reads when a task needs them.
import { basename, dirname, extname, join } from 'node:path';
import type { ResourcePath } from '../../contracts/index.ts';
import { type FoundFile, listNames, type ReadonlyFiles, readDocumentOrReport } from './markdown-files.ts';

export interface Skill extends FoundFile {
  readonly name: string;
  readonly description: string;
  /** Base of relative paths in the skill's text. */
  readonly directory: string;
  /** Not listed for the model. Only the user can invoke it by name. */
  readonly isHidden: boolean;
}

const SKILL_FILE = 'SKILL.md';
const NAME_PATTERN = /^[a-z0-9-]{1,64}$/;
const MAX_DESCRIPTION_LENGTH = 1024;
const MAX_DEPTH = 4;

/** In order of precedence: when two skills have the same name, the first one is used. `problems` gets a message for every invalid skill. */
export async function findSkills(
  files: ReadonlyFiles,
  { folders, named: explicitPaths }: { folders: readonly ResourcePath[]; named: readonly string[] },
  problems: string[],
): Promise<readonly Skill[]> {
  const found: FoundFile[] = [];
  for (const path of explicitPaths) found.push(...(await findExplicitSkills(files, path, problems)));
  for (const { path, level } of folders) {
    // `.agents` folders are shared between programs and hold only folders. In our own folders a skill may also be a single file.
    const allowsSingleFiles = !path.includes('/.agents/');
    for (const file of await listSkillFiles(files, path, { allowsSingleFiles, depth: 0 }))
      found.push({ path: file, level });
  }
  const skills = new Map<string, Skill>();
  for (const file of found) {
    const skill = await readSkill(files, file, problems);
    const existing = skill && skills.get(skill.name);
    if (existing && existing.path !== skill.path) {
      problems.push(`${skill.path}: skill ${skill.name} is also defined in ${existing.path}, which takes precedence`);
    } else if (skill && !existing) skills.set(skill.name, skill);
  }
  return [...skills.values()];
}

async function findExplicitSkills(files: ReadonlyFiles, path: string, problems: string[]): Promise<FoundFile[]> {
  const info = await files.info(path).catch(() => undefined);
  if (!info) problems.push(`${path}: skill not found`);
  const paths =
    info?.kind === 'directory' ? await listSkillFiles(files, path, { allowsSingleFiles: true, depth: 0 }) : [path];
  return info ? paths.map((file): FoundFile => ({ path: file, level: 'path' })) : [];
}

async function listSkillFiles(
  files: ReadonlyFiles,
  folder: string,
  { allowsSingleFiles, depth }: { allowsSingleFiles: boolean; depth: number },
): Promise<string[]> {
  const names = await listNames(files, folder);
  if (names.includes(SKILL_FILE)) return [join(folder, SKILL_FILE)];
  const found: string[] = [];
  for (const name of names) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    const path = join(folder, name);
    const isSingle = allowsSingleFiles && depth === 0 && extname(name) === '.md';
    if (isSingle) found.push(path);
    else if (depth < MAX_DEPTH && extname(name) === '') {
      found.push(...(await listSkillFiles(files, path, { allowsSingleFiles: false, depth: depth + 1 })));
    }
  }
  return found;
}

async function readSkill(files: ReadonlyFiles, file: FoundFile, problems: string[]): Promise<Skill | undefined> {
  const document = await readDocumentOrReport(files, file.path, problems);
  if (!document) return undefined;
  const { fields } = document;
  const directory = dirname(file.path);
  const defaultName = basename(file.path) === SKILL_FILE ? basename(directory) : basename(file.path, '.md');
  const name = typeof fields.name === 'string' ? fields.name.trim() : defaultName;
  const description = typeof fields.description === 'string' ? fields.description.trim() : '';
  const addProblem = (message: string) => problems.push(`${file.path}: ${message}`);
  if (description === '') {
    addProblem('a skill needs a description; it is ignored');
    return undefined;
  }
  if (name === '' || /[\s<>"&/]/.test(name)) {
    addProblem(`"${name}" is not a valid skill name; it is ignored`);
    return undefined;
  }
  if (!NAME_PATTERN.test(name))
    addProblem(`the name ${name} should have at most 64 lowercase letters, digits and hyphens`);
  if (description.length > MAX_DESCRIPTION_LENGTH)
    addProblem(`the description is longer than ${MAX_DESCRIPTION_LENGTH} characters`);
  return { ...file, name, description, directory, isHidden: fields['disable-model-invocation'] === true };
}

/** The section of the system prompt that lists the skills; empty when there are none. */
export function formatSkillsBlock(skills: readonly Skill[]): string {
  const visibleSkills = skills.filter(({ isHidden }) => !isHidden);
  if (visibleSkills.length === 0) return '';
  const entries = visibleSkills.map(
    ({ name, description, path }) =>
      `<skill><name>${escapeXml(name)}</name><description>${escapeXml(description)}</description><location>${escapeXml(path)}</location></skill>`,
  );
  return [
    'Skills hold instructions for special tasks. When a task fits a description, read the file at its location first. Paths in it are relative to its folder.',
    `<available_skills>\n${entries.join('\n')}\n</available_skills>`,
  ].join('\n');
}

function escapeXml(text: string): string {
  return text.slice(0, MAX_DESCRIPTION_LENGTH).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The text that replaces `/skill:name instructions`. The format is the one of pi. */
export function expandSkillCommand({ name, path, directory }: Skill, body: string, instructions: string): string {
  const block = `<skill name="${name}" location="${path}">\nReferences are relative to ${directory}.\n\n${body.trim()}\n</skill>`;
  return instructions === '' ? block : `${block}\n\n${instructions}`;
}
