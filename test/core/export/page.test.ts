// What the page is made of, without a browser; test/browser opens it in one.
import { expect, test } from 'vitest';
import { renderSession } from '../../../src/core/index.ts';
import { hostileSession } from '../../browser/hostile-session.ts';
import { PAYLOADS } from '../../browser/payloads.ts';
import { showcase } from '../../browser/showcase.ts';
import { renderHere } from '../../support/markup.ts';

test('nothing that was written in a session becomes a part of its page', async () => {
  const page = await renderSession(hostileSession(PAYLOADS), renderHere);
  const count = (what: RegExp) => page.match(what)?.length ?? 0;
  expect(count(/<script/gi)).toBe(2);
  expect(count(/<style/gi)).toBe(1);
  expect(count(/<(iframe|object|embed|svg|math|form|base|link|video|audio|template|noscript|body|portal)\b/gi)).toBe(1);
  // Only our own tags, and among their attributes none that acts.
  expect(page.match(/<[a-z][^<>]*\son\w+=/gi)).toBe(null);
  expect(page.match(/(href|src)="(?!#|https?:|mailto:|data:image\/(png|jpeg|gif|webp);base64,)[^"]*"/gi)).toBe(null);
});

test('its policy allows exactly its own style and script', async () => {
  const page = await renderSession(showcase(), renderHere);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1];
  expect(policy).toMatch(
    /^default-src 'none'; img-src data:; style-src 'sha256-[\w+/=]{44}'; script-src 'sha256-[\w+/=]{44}'; base-uri 'none'; form-action 'none'$/,
  );
  expect(page).not.toContain('unsafe-inline');
});
