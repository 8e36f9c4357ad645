// Rules that would allow a call without a question.
import { isAbsolute, relative } from 'node:path';
import { checkPermission } from './check-permission.ts';
import { quoteWord } from './command-pattern.ts';
import { parseHost } from './host-pattern.ts';
import { isWithin } from './path-pattern.ts';
import { resolvePathSubject } from './path-subject.ts';
import type { CallToCheck, PermissionContext, PermissionResult, ScopedRule } from './permission-check.ts';
import { parseShellCommand, type ShellRedirection, type SimpleCommand } from './shell/index.ts';
import { listUrls } from './url-parts.ts';

/**
 * Rules that allow this call and as little else as possible. Empty when no rule can: the command line is not fully understood, has words
 * that are known only when it runs, starts a program that tools can change, or runs outside the sandbox; and for calls that are denied.
 */
export async function proposeRules(
  call: CallToCheck,
  result: PermissionResult,
  context: PermissionContext,
): Promise<readonly string[]> {
  if (call.isEscalated || result.decision === 'deny') return [];
  const proposed = await listRules(call, context);
  if (proposed === undefined) return [];
  const texts = [...new Set(proposed)];
  const allow = texts.map((text): ScopedRule => ({ text, scope: 'session' }));
  const after = await checkPermission(call, { allow, ask: [], deny: [] }, { ...context, policy: 'always' });
  return after.decision === 'allow' ? texts : [];
}

/** `undefined` when a part of the call cannot be expressed. */
async function listRules(call: CallToCheck, context: PermissionContext): Promise<readonly string[] | undefined> {
  const { toolName, subjects, input, cwd } = call;
  const urls = listUrls(input).map((url) => ({ kind: 'url' as const, url }));
  const all = subjects.length > 0 ? subjects : urls;
  if (all.length === 0) return [toolName];
  const rules: string[] = [];
  for (const subject of all) {
    if (subject.kind === 'command') {
      const found = await listCommandRules(call, subject.command, context);
      if (found === undefined) return undefined;
      rules.push(...found);
    } else if (subject.kind === 'path') {
      const { real, directories } = await resolvePathSubject(subject.path, { ...context, cwd });
      if (real === undefined) return undefined;
      rules.push(`${toolName}(${formatPath(real, directories.at(-1) ?? cwd)})`);
    } else {
      const host = parseHost(subject.url);
      if (host === undefined) return undefined;
      rules.push(`${toolName}(${host.host}${host.port === '' ? '' : `:${host.port}`})`);
    }
  }
  return rules;
}

async function listCommandRules(
  { toolName, cwd }: CallToCheck,
  text: string,
  context: PermissionContext,
): Promise<readonly string[] | undefined> {
  const { commands, redirections, problems } = parseShellCommand(text, context.shell);
  if (problems.length > 0) return undefined;
  const words = commands.map(formatCommand);
  const files = await Promise.all(redirections.map((redirection) => formatRedirection(redirection, cwd, context)));
  const rules = [...words.map((one) => one && `${toolName}(${one})`), ...files];
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

/** `undefined` when a word is not known. A program text is part of the words. */
function formatCommand({ words }: SimpleCommand): string | undefined {
  const values = words.map(({ value }) => value);
  return values.every((value) => value !== undefined) ? values.map(quoteWord).join(' ') : undefined;
}

async function formatRedirection(
  { access, target }: ShellRedirection,
  cwd: string,
  context: PermissionContext,
): Promise<string | undefined> {
  if (target.value === undefined) return undefined;
  const { real, directories } = await resolvePathSubject(target.value, { ...context, cwd }, true);
  return real === undefined ? undefined : `${access}(${formatPath(real, directories.at(-1) ?? cwd)})`;
}

/** A glob that matches exactly this file. */
function formatPath(path: string, cwd: string): string {
  const shown = isAbsolute(path) && isWithin(cwd, path) && path !== cwd ? `./${relative(cwd, path)}` : path;
  return shown.replace(/[*?[\]{}\\]/g, '\\$&');
}
