// Checks the patterns of permission rules and hosts when the settings are loaded. Loaded only if there are some.
import { Fault } from '../base/index.ts';
import { parseRule } from '../permissions/index.ts';
import type { SettingKey } from './settings-table.ts';

/** Throws a Fault that names the pattern and the remedy. */
export async function checkPatterns(key: SettingKey, patterns: readonly string[]): Promise<void> {
  if (key === 'sandbox.allowedHosts') (await import('../sandbox/network/host-rules.ts')).parseHostRules(patterns);
  else patterns.forEach(checkRule);
}

/** A bracket that is not closed would be compared as a character, and the rule would match less than was meant. */
function checkRule(text: string): void {
  const { pattern = '', tool } = parseRule(text);
  if (tool.join('*') === 'bash') return;
  const plain = pattern.replace(/\\./g, '');
  const open = [...'[{'].find((bracket) => plain.lastIndexOf(bracket) > plain.lastIndexOf(bracket === '[' ? ']' : '}'));
  if (open === undefined) return;
  const problem = `is invalid: ${open} is not closed. For the character itself, write \\${open}`;
  throw new Fault('config', `The permission rule ${JSON.stringify(text)} ${problem}`);
}
