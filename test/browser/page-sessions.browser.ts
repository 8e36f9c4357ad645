// The list of sessions in the page: search, state, cost, new session, fork, rename and delete.
import { expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { createDirectories } from '../support/program.ts';
import { browser, eventually } from './chromium.ts';
import { expectNoTrespasses, openSession, readState, runPrompt, sendPrompt, startPageServer } from './page-fixture.ts';

const fixture = browser();

test('the address with the token signs in, and removes the token from the address', async () => {
  const server = await startPageServer();
  const opened = await fixture.openUrl(`${server.url}?token=${server.token}`);
  await opened.page.waitForSelector('.start-page');
  expect(opened.page.url()).toBe(server.url);
  expect(await opened.page.context().cookies()).toEqual([
    expect.objectContaining({ httpOnly: true, sameSite: 'Strict', value: server.token }),
  ]);
  await expectNoTrespasses(opened);
});

test('without a cookie the page asks for the token', async () => {
  const server = await startPageServer();
  const { page } = await fixture.openUrl(server.url);
  await page.getByLabel('Token').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Token').fill(server.token);
  await page.keyboard.press('Enter');
  await page.getByText('Choose a session').waitFor();
});

test('a new session is opened in a directory, and a wrong directory is refused', async () => {
  const server = await startPageServer();
  const { cwd } = createDirectories();
  const { page } = await fixture.openUrl(`${server.url}?token=${server.token}`);
  await page.getByRole('button', { name: 'New session' }).first().click();
  const field = page.getByLabel('Directory');
  await field.fill('/does/not/exist');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('dialog').getByRole('alert').waitFor();
  await field.fill(cwd);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForSelector('#prompt');
  await runPrompt(page, 'Hello there');
  await eventually(() => page.locator('.session-item .session-cwd').getAttribute('title')).toBe(cwd);
});

test('the list shows title, state and cost, and follows a run', async () => {
  const hold = createDeferred();
  const server = await startPageServer({ script: { Wait: [{ text: ['One', ' two'], until: hold.promise }] } });
  const { page } = await openSession(fixture, server);
  const item = page.locator('.session-item');
  await sendPrompt(page, 'Wait for it');
  await eventually(() => item.locator('.dot').getAttribute('aria-label')).toBe('running');
  hold.resolve();
  await eventually(() => item.locator('.dot').getAttribute('aria-label')).toBe('idle');
  await eventually(() => item.locator('.session-title').textContent()).toBe('Wait for it');
  await eventually(() => item.locator('.session-cost').textContent()).toBe('$0.01');
});

test('sessions are found by title, id and text', async () => {
  const server = await startPageServer();
  const first = await openSession(fixture, server);
  await runPrompt(first.page, 'Repair the parser');
  const { page, sessionId } = await openSession(fixture, server);
  await runPrompt(page, 'Write the manual');
  const titles = () => page.locator('.session-title').allTextContents();
  await eventually(titles).toEqual(['Write the manual', 'Repair the parser']);
  const search = page.getByLabel('Search sessions');
  await search.fill('parser');
  await eventually(titles).toEqual(['Repair the parser']);
  // The search does not change what is shown of the selected session.
  expect(await page.locator('.session-head h1').textContent()).toBe('Write the manual');
  await search.fill(sessionId.slice(0, 8));
  await eventually(titles).toEqual(['Write the manual']);
  await search.fill('Answer to: Repair');
  await eventually(titles).toEqual(['Repair the parser']);
  await search.fill('nothing like this');
  await page.getByText('No session found.').waitFor();
});

test('a session is renamed, forked, and deleted after a confirmation', async () => {
  const server = await startPageServer();
  const { page, sessionId } = await openSession(fixture, server);
  await runPrompt(page, 'First prompt');
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Actions of the session' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await choose('Rename');
  await page.getByLabel('Name', { exact: true }).fill('A better name');
  await page.keyboard.press('Enter');
  await eventually(() => page.locator('.session-head h1').textContent()).toBe('A better name');

  await choose('Fork');
  await eventually(() => page.locator('.session-item').count()).toBe(2);
  await eventually(() => page.url()).not.toContain(sessionId);
  await page.locator('.prompt-message', { hasText: 'First prompt' }).waitFor();
  await runPrompt(page, 'Only in the copy');

  await choose('Delete');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await eventually(() => page.locator('.session-item').count()).toBe(2);
  await choose('Delete');
  await page.locator('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Choose a session').waitFor();
  await eventually(() => page.locator('.session-item').count()).toBe(1);
  await page.locator('.session-item').click();
  await page.locator('.prompt-message', { hasText: 'First prompt' }).waitFor();
  expect(await page.locator('.prompt-message').count()).toBe(1);
});

test('a session that was deleted elsewhere is not listed, and its prompt is disabled', async () => {
  const server = await startPageServer();
  const { page, sessionId } = await openSession(fixture, server);
  await runPrompt(page, 'First prompt');
  await server.request(`/v1/sessions/${sessionId}`, { method: 'DELETE' });
  await page.locator('.connection-bar.refused').waitFor();
  await eventually(() => readState(page)).toBe('not connected');
  expect(await page.locator('#prompt').isDisabled()).toBe(true);
  await eventually(() => page.locator('.session-item').count()).toBe(0);
});

test('the selected session of a long list is visible', async () => {
  const server = await startPageServer();
  const ids: string[] = [];
  for (let at = 0; at < 15; at++) {
    const id = await server.createSession();
    await server.call(id, 'set_session_name', { name: `Session ${at}` });
    ids.push(id);
  }
  const { page } = await openSession(fixture, server, { sessionId: ids[0]!, viewport: { width: 1280, height: 400 } });
  const item = page.locator('.session-item[aria-current]');
  const isVisible = (element: Element) => {
    const list = element.closest('.session-list')!.getBoundingClientRect();
    return Math.floor(element.getBoundingClientRect().bottom) <= list.bottom;
  };
  await eventually(() => page.locator('.session-item').count()).toBe(15);
  await eventually(() => item.evaluate(isVisible)).toBe(true);
});

test('a session that does not exist is reported, and not tried again', async () => {
  const server = await startPageServer();
  const { page } = await fixture.openUrl(`${server.url}?token=${server.token}&session=unknown-id`);
  await page.locator('.connection-bar.refused').waitFor();
  expect(await page.locator('.connection-bar').textContent()).toContain('unknown-id');
  // An address that cannot be decoded.
  await page.goto(`${server.url}#/s/%E0%A4%A`);
  await page.reload();
  await eventually(() => page.locator('.connection-bar.refused').textContent()).toContain('%E0%A4%A');
});

test('older sessions are listed on request, also those of a search that was not complete', async () => {
  const server = await startPageServer();
  const { page } = await fixture.openUrl(`${server.url}?token=${server.token}`);
  await page.locator('.empty-list').waitFor();
  const summary = (id: string) => ({
    id,
    cwd: '/project',
    firstPrompt: `Prompt ${id}`,
    modifiedMs: 1,
    activity: 'idle',
  });
  await page.route('**/v1/sessions?**', (route) => {
    const { searchParams } = new URL(route.request().url());
    const [query, cursor] = [searchParams.get('query') ?? '', searchParams.get('cursor')];
    const first = { sessions: query === '' ? [summary('new')] : [], nextCursor: 'next' };
    const json = { success: true, data: cursor === 'next' ? { sessions: [summary(`old ${query}`)] } : first };
    return route.fulfill({ json });
  });
  const titles = () => page.locator('.session-title').allTextContents();
  await page.reload();
  await eventually(titles).toEqual(['Prompt new']);
  await page.getByRole('button', { name: 'Show older sessions' }).click();
  await eventually(titles).toEqual(['Prompt new', 'Prompt old ']);
  await eventually(() => page.getByRole('button', { name: 'Show older sessions' }).count()).toBe(0);
  await page.getByLabel('Search sessions').fill('needle');
  await eventually(() => page.locator('.empty-list').textContent()).toBe('No session found yet.');
  await page.getByRole('button', { name: 'Search older sessions' }).click();
  await eventually(titles).toEqual(['Prompt old needle']);
});
