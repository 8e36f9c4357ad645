// The reference of the API: all operations of the server, their schemas, and examples for the shell.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { browser, eventually } from './chromium.ts';
import { FIND_LOW_CONTRAST } from './low-contrast.ts';
import { expectNoTrespasses, startPageServer } from './page-fixture.ts';

const fixture = browser();

const openDocs = async (options = {}) => {
  const server = await startPageServer();
  const opened = await fixture.openUrl(`${server.url}?token=${server.token}`, options);
  await opened.page.goto(`${server.url}docs`);
  await opened.page.locator('.operation').first().waitFor();
  return { server, ...opened };
};

test('every operation of the description is listed', async () => {
  const { server, ...opened } = await openDocs();
  const { json } = await server.request('/openapi.json');
  const { paths } = json as { paths: Record<string, Record<string, object>> };
  const operations = Object.values(paths).flatMap((item) => Object.keys(item));
  expect(operations.length).toBeGreaterThan(60);
  expect(await opened.page.locator('.operation').count()).toBe(operations.length);
  await expectNoTrespasses(opened);
});

test('an operation is found, its schemas are expanded, and its example works', async () => {
  const { server, page } = await openDocs({ permissions: ['clipboard-read', 'clipboard-write'] });
  const sessionId = await server.createSession();
  await page.getByLabel('Search operations').fill('commands get_state');
  await eventually(() => page.locator('.operation').count()).toBeLessThan(4);
  await page.locator('.operation-head', { hasText: '/commands/get_state' }).click();
  await page.locator('.field-line', { hasText: /^data/ }).getByRole('button').first().click();
  await page.locator('.field-name', { hasText: 'permissionMode' }).waitFor();
  await page.getByRole('button', { name: 'Copy the curl command' }).click();
  const command = await page.evaluate<string>('navigator.clipboard.readText()');
  const env = { PATH: process.env.PATH, PARLEY_TOKEN: server.token, SESSION_ID: sessionId };
  const reply = JSON.parse(execFileSync('sh', ['-c', command], { env }).toString());
  expect(reply).toMatchObject({ success: true, data: { sessionId } });
});

test('a link leads to an operation and opens it', async () => {
  const { page } = await openDocs();
  await page.locator('.docs-index a', { hasText: 'listSessions' }).click();
  await page.locator('#listSessions .operation-body').waitFor();
  await page.reload();
  await page.locator('#listSessions .operation-body').waitFor();
});

test.each(['light', 'dark'] as const)('the %s theme has enough contrast, also on a phone', async (colorScheme) => {
  const { page } = await openDocs({ colorScheme, viewport: { width: 390, height: 800 } });
  await page.locator('.operation-head').first().click();
  await page.locator('.hl-string').first().waitFor();
  expect(await page.evaluate<string[]>(FIND_LOW_CONTRAST)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
});

test('without a token the page says what to do', async () => {
  const server = await startPageServer();
  const { page } = await fixture.openUrl(`${server.url}docs`);
  await page.getByText('Not signed in').waitFor();
});
