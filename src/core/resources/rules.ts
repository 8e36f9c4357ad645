// First floor, core: rules in files. Only those with a trigger matter here; finds and checks them.
import { basename, extname, join } from 'node:path';
import type { Place } from '../../contracts/index.ts';
import type { Rule } from '../../protocol/index.ts';
import { namesIn, type Reading, readOrTell } from './markdown-files.ts';

const ENDINGS = new Set(['.md', '.mdc']);

/** Strongest first: of two with one name the first counts. */
export async function findRules(files: Reading, folders: readonly Place[], problems: string[]): Promise<Rule[]> {
  const rules = new Map<string, Rule>();
  for (const { path: folder, level } of folders) {
    for (const name of await namesIn(files, folder)) {
      if (!ENDINGS.has(extname(name))) continue;
      const rule = await readRule(files, { path: join(folder, name), level }, problems);
      if (rule && !rules.has(rule.name)) rules.set(rule.name, rule);
    }
  }
  return [...rules.values()];
}

async function readRule(files: Reading, { path, level }: Place, problems: string[]): Promise<Rule | undefined> {
  const document = await readOrTell(files, path, problems);
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
