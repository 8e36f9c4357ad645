// Checks that an exported page runs no code, requests nothing and has no foreign elements, for hostile content in every field.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { renderSession } from '../../src/core/index.ts';
import { renderInTestThread } from '../support/render-markup.ts';
import { browser, eventually } from './chromium.ts';
import { hostileSession } from './hostile-session.ts';
import { PAYLOADS } from './payloads.ts';

const { open } = browser();
const NOTHING = { dialogs: [], requests: [], violations: [], hits: [], errors: [] };

test('there are at least 100 different payloads', () => {
  expect(new Set(PAYLOADS).size).toBe(PAYLOADS.length);
  expect(PAYLOADS.length).toBeGreaterThanOrEqual(100);
});

test('the recorder detects the payloads in an unprotected page', async () => {
  // Without payloads that navigate away from the page.
  const payloads = PAYLOADS.filter(
    (payload) => payload.startsWith('<') && !/refresh|<base|Security-Policy/.test(payload),
  );
  const { page, trespasses } = await open(`<!doctype html><title>x</title>${payloads.join('\n')}`);
  await page.waitForFunction('window.hits.length > 3');
  const detected = async () => {
    const { dialogs, requests } = await trespasses();
    return { dialogs: dialogs.length > 3, requests: requests.length > 3 };
  };
  await eventually(detected).toEqual({ dialogs: true, requests: true });
});

const GROUP_SIZE = 8;
const groups = PAYLOADS.flatMap((_, at) => (at % GROUP_SIZE === 0 ? [PAYLOADS.slice(at, at + GROUP_SIZE)] : []));

// With and without the content security policy: escaping alone must be sufficient.
describe.each([
  ['with the policy', false],
  ['without the policy', true],
])('%s', (_, bypassCSP) => {
  test.each(groups.map((group, at) => [at * GROUP_SIZE, JSON.stringify(group[0]).slice(0, 60), group] as const))(
    'payloads from %i on: %s',
    async (_from, _first, group) => {
      const { page, trespasses } = await open(await renderSession(hostileSession(group), renderInTestThread), {
        bypassCSP,
      });
      await useAllFeatures(page);
      expect(await page.locator('article').count()).toBeGreaterThan(80 * group.length);
      expect(await page.locator('article .transcript section').count()).toBeGreaterThan(60 * group.length);
      expect(await page.locator('#overview details.panel details').count()).toBe(group.length);
      expect(await page.evaluate<string[]>(FIND_FOREIGN)).toEqual([]);
      expect(await trespasses()).toEqual(NOTHING);
    },
  );
});

test('every link goes to an anchor of the page or to an http or mailto address', async () => {
  const links = PAYLOADS.filter((payload) => /https?:|www\.|\]\(|script:|data:/i.test(payload));
  const { page, url, trespasses } = await open(
    await renderSession(hostileSession([links.join('\n\n')]), renderInTestThread),
  );
  const targets = await page.evaluate<string[]>('[...document.links].map((link) => link.href)');
  expect(targets.filter((href) => !href.startsWith(`${url}#`)).length).toBeGreaterThan(50);
  expect(targets.filter((href) => !href.startsWith(`${url}#`) && !/^(https?|mailto):/.test(href))).toEqual([]);
  await page.click('#folds');
  const [popup] = await Promise.all([
    page.context().waitForEvent('page'),
    page.locator('a[target=_blank]:visible').first().click(),
  ]);
  // The other page must not get a reference to this one. Polled, because a page cannot be read during navigation.
  await eventually(() => popup.evaluate('window.opener').catch(String)).toBe(null);
  await popup.close();
  await page.evaluate('for (const link of document.links) link.click()');
  expect(page.url().startsWith(url)).toBe(true);
  const { requests, ...rest } = await trespasses();
  expect(requests.filter((address) => !/^https?:\/\//.test(address))).toEqual([]);
  expect({ ...rest, requests: [] }).toEqual(NOTHING);
});

/** Uses all features of the page: unfold, search, theme, branch, outline, hover, print. */
async function useAllFeatures(page: Page): Promise<void> {
  await page.evaluate(USE);
  await page.emulateMedia({ media: 'print' });
  await page.emulateMedia({ media: 'screen' });
}

const USE = `
document.getElementById('folds').click();
document.getElementById('theme').click();
const change = (id, value, type) => {
  document.getElementById(id).value = value;
  document.getElementById(id).dispatchEvent(new Event(type, { bubbles: true }));
};
change('search', 'hit', 'input');
change('search', '', 'input');
for (const { value } of [...document.getElementById('branch').options].slice(0, 3)) change('branch', value, 'change');
for (const link of [...document.querySelectorAll('a[href^="#"]')].slice(0, 10)) link.click();
for (const element of document.querySelectorAll('body *')) {
  for (const type of ['mouseover', 'pointerover', 'focus', 'blur', 'toggle', 'animationstart']) {
    element.dispatchEvent(new Event(type, { bubbles: true }));
  }
}
`;

/** Finds elements, attributes and addresses that an exported page must not have. */
const FIND_FOREIGN = `(() => {
  const tags = new Set(('html head meta title style body nav div input button p select option ol ul li a mark main h1 h2 h3 h4 h5 h6 br '
    + 'time article header section span pre code details summary img script blockquote table thead tbody tr th td strong em del hr '
    + 'dl dt dd bdi svg g path rect circle line polyline text tspan').split(' '));
  const attributes = new Set(('lang charset http-equiv content name class id type placeholder aria-label title role value href datetime '
    + 'data-at data-part data-theme data-searching hidden open alt src target rel start checked disabled align viewBox width height x y x1 x2 y1 y2 '
    + 'cx cy r rx d points text-anchor').split(' '));
  const found = new Set();
  for (const element of document.querySelectorAll('*')) {
    const tag = element.localName;
    if (!tags.has(tag)) found.add('<' + tag + '>');
    for (const { name, value } of element.attributes) {
      if (!attributes.has(name)) found.add(tag + ' ' + name + '=' + value);
      if (name === 'src' && !/^data:image\\/(png|jpeg|gif|webp);base64,[\\w+/=]+$/.test(value)) found.add(tag + ' src=' + value);
      if (name === 'href' && !/^(#[\\w-]+$|https?:|mailto:)/.test(value)) found.add(tag + ' href=' + value);
    }
  }
  if (document.querySelectorAll('svg').length !== 2) found.add('another svg');
  if (document.scripts.length !== 2 || document.querySelectorAll('style').length !== 1) found.add('a second script or style');
  const metas = [...document.querySelectorAll('meta')].map((meta) => meta.name || meta.httpEquiv || 'charset');
  if (metas.join() !== 'charset,Content-Security-Policy,generator,referrer,viewport') found.add('another meta');
  if (document.querySelectorAll('#tree, #search, #folds, #theme, #overview').length !== 5) found.add('an id twice');
  return [...found];
})()`;
