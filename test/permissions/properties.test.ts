// Properties of decisions that hold for all rules and commands.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PermissionDecision } from '../../src/contracts/index.ts';
import { type Case, decide } from './decide.ts';

const ORDER: readonly PermissionDecision[] = ['allow', 'ask', 'deny'];
const simple = fc.constantFrom(
  'ls',
  'ls -l',
  'git push',
  'git -C x push',
  'rm x',
  'cat < a',
  'echo $x',
  '$x',
  'eval $x',
  'echo x > a',
  'node -e rm',
);
const rule = fc.constantFrom(
  'bash',
  'bash(ls)',
  'bash(ls *)',
  'bash(git push)',
  'bash(git *)',
  'bash(rm *)',
  'bash(*)',
  'read(a)',
  'write(a)',
  'edit(**)',
);
const rules = fc.array(rule, { maxLength: 4 });
const policy = fc.constantFrom(
  'never' as const,
  'on-execute' as const,
  'on-write' as const,
  'always' as const,
  'read-only' as const,
);
const command = fc.array(simple, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' && '));
const anyCase: fc.Arbitrary<Case> = fc.record({
  command,
  policy,
  allow: rules,
  ask: rules,
  deny: rules,
  session: rules,
});

test('one more rule that restricts never widens', async () => {
  await fc.assert(
    fc.asyncProperty(anyCase, rule, fc.constantFrom('ask' as const, 'deny' as const), async (one, added, kind) => {
      const before = ORDER.indexOf(await decide(one));
      expect(ORDER.indexOf(await decide({ ...one, [kind]: [...(one[kind] ?? []), added] }))).toBeGreaterThanOrEqual(
        before,
      );
    }),
  );
});

test('the order of the rules does not matter', async () => {
  const reverse = (texts: readonly string[] = []) => [...texts].reverse();
  await fc.assert(
    fc.asyncProperty(anyCase, async (one) => {
      const { allow, ask, deny, session } = one;
      const reversed = { allow: reverse(allow), ask: reverse(ask), deny: reverse(deny), session: reverse(session) };
      expect(await decide({ ...one, ...reversed })).toBe(await decide(one));
    }),
  );
});

test('a compound command is never more allowed than one of its parts', async () => {
  await fc.assert(
    fc.asyncProperty(anyCase, fc.array(simple, { minLength: 1, maxLength: 3 }), async (one, parts) => {
      const whole = ORDER.indexOf(await decide({ ...one, command: parts.join('; ') }));
      for (const part of parts)
        expect(whole).toBeGreaterThanOrEqual(ORDER.indexOf(await decide({ ...one, command: part })));
    }),
  );
});
