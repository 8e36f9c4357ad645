// Settings of a project that becomes trusted while the agent runs.
import { expect, test } from 'vitest';
import { applySettings, type LiveAgent } from '../../src/app/apply-settings.ts';
import { toSessionSettings } from '../../src/app/session-settings.ts';
import type { ConfiguredRule } from '../../src/settings/index.ts';
import { defaultSettings } from '../../src/settings/settings-table.ts';

test('replaces rules and values in the objects that all parts of the agent share', () => {
  const userRule: ConfiguredRule = { decision: 'allow', text: 'read', scope: 'user', origin: '/u/settings.json' };
  const projectRule: ConfiguredRule = { decision: 'deny', text: 'bash', scope: 'project', origin: '/p/settings.json' };
  const permissionRules = [userRule];
  const settings = { ...defaultSettings };
  const agent = {
    base: {},
    sessionSettings: toSessionSettings(settings),
    options: { settings, permissionRules },
  } as unknown as LiveAgent;
  const values = { ...defaultSettings, approval: 'always', 'bash.timeout': 5 } as const;
  applySettings(agent, { values: { ...values, 'permissions.deny': ['bash'] }, rules: [userRule, projectRule] });
  expect(permissionRules).toEqual([userRule, projectRule]);
  expect(settings).toMatchObject({ approval: 'always', 'permissions.deny': ['bash'] });
  expect(agent.sessionSettings.toolOptions).toMatchObject({ bashTimeout: 5 });
  applySettings(agent, { values: defaultSettings, rules: [] });
  expect(permissionRules).toEqual([]);
});
