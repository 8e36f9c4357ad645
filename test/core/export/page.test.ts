// Checks the HTML of an exported page without a browser. The tests in test/browser open it in one.
import { expect, test } from 'vitest';
import { renderSession } from '../../../src/core/index.ts';
import { hostileSession } from '../../browser/hostile-session.ts';
import { PAYLOADS } from '../../browser/payloads.ts';
import { showcase } from '../../browser/showcase.ts';
import { renderInTestThread } from '../../support/render-markup.ts';

test('text of a session never becomes markup of the page', async () => {
  const page = await renderSession(hostileSession(PAYLOADS), renderInTestThread);
  const count = (pattern: RegExp) => page.match(pattern)?.length ?? 0;
  expect(count(/<script/gi)).toBe(2);
  expect(count(/<style/gi)).toBe(1);
  expect(count(/<(iframe|object|embed|math|form|base|link|video|audio|template|noscript|body|portal)\b/gi)).toBe(1);
  // The chart and the branch tree.
  expect(page.match(/<svg\b[^>]*>/gi)?.map((tag) => /class="(\w+)"/.exec(tag)?.[1])).toEqual(['chart', 'tree']);
  expect(count(/<(foreignobject|animate|set|use|image)\b/gi)).toBe(0);
  // No event handler attributes, and only allowed URL schemes.
  expect(page.match(/<[a-z][^<>]*\son\w+=/gi)).toBe(null);
  expect(page.match(/(href|src)="(?!#|https?:|mailto:|data:image\/(png|jpeg|gif|webp);base64,)[^"]*"/gi)).toBe(null);
});

test('the Content-Security-Policy allows only the own style and script of the page', async () => {
  const page = await renderSession(showcase(), renderInTestThread);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1];
  expect(policy).toMatch(
    /^default-src 'none'; img-src data:; style-src 'sha256-[\w+/=]{44}'; script-src 'sha256-[\w+/=]{44}'; base-uri 'none'; form-action 'none'$/,
  );
  expect(page).not.toContain('unsafe-inline');
});
