// Finds and validates rule files. Rules without a trigger are ignored.
import { basename, extname, join } from 'node:path';
import type { ResourcePath } from '../../contracts/index.ts';
import type { Rule } from '../../protocol/index.ts';
import { listNames, type ReadonlyFiles, readDocumentOrReport } from './markdown-files.ts';

const RULE_FILE_EXTENSIONS = new Set(['.md', '.mdc']);

/** `folders` are in order of precedence: when two rules have the same name, the first one is used. */
export async function findRules(
  files: ReadonlyFiles,
  folders: readonly ResourcePath[],
  problems: string[],
): Promise<Rule[]> {
  const rules = new Map<string, Rule>();
  for (const { path: folder, level } of folders) {
    for (const name of await listNames(files, folder)) {
      if (!RULE_FILE_EXTENSIONS.has(extname(name))) continue;
      const rule = await readRule(files, { path: join(folder, name), level }, problems);
      if (rule && !rules.has(rule.name)) rules.set(rule.name, rule);
    }
  }
  return [...rules.values()];
}

async function readRule(
  files: ReadonlyFiles,
  { path, level }: ResourcePath,
  problems: string[],
): Promise<Rule | undefined> {
  const document = await readDocumentOrReport(files, path, problems);
  const trigger = document?.fields.ttsr_trigger ?? document?.fields.condition;
  if (!document || typeof trigger !== 'string' || trigger === '') return undefined;
  try {
    new RegExp(trigger);
  } catch {
    problems.push(`${path}: ttsr_trigger is not a regular expression: ${trigger}; it is ignored`);
    return undefined;
  }
  const { globs, alwaysApply, description } = document.fields;
  return {
    name: basename(path, extname(path)),
    path,
    content: document.body.trim(),
    ...(globs === undefined ? {} : { globs: [globs].flat().map(String) }),
    ...(typeof alwaysApply === 'boolean' ? { alwaysApply } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ttsrTrigger: trigger,
    _source: { provider: 'native', providerName: 'Parley', path, level },
  };
}
