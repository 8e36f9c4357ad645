// The connection of the page: it opens again by itself, continues interrupted runs, and respects read-only access.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { createDirectories, runProgram } from '../support/program.ts';
import { startServer } from '../support/server.ts';
import { browser, eventually } from './chromium.ts';
import {
  openSession,
  type PageServerOptions,
  readState,
  runPrompt,
  sendPrompt,
  startPageServer,
} from './page-fixture.ts';
import { type PageScript, startPageProvider } from './page-provider.ts';

const fixture = browser();
const bar = (page: Page) => page.locator('.connection-bar');

/** A server behind a port that forwards to it, and that can cut all connections. */
async function startRelayedServer(script: PageScript = {}, options: PageServerOptions = {}) {
  const sockets = new Set<Socket>();
  const target = { port: 0, isCut: false };
  const relay = createServer((incoming) => {
    if (target.isCut) return void incoming.destroy();
    const outgoing = connect(target.port, '127.0.0.1');
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    return void incoming.pipe(outgoing).pipe(incoming);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port } = relay.address() as AddressInfo;
  const cut = () => {
    target.isCut = true;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTestFinished(async () => {
    cut();
    relay.close();
    await once(relay, 'close');
  });
  const flags = ['--set', `serve.allowedHosts=["127.0.0.1:${port}"]`];
  const server = await startPageServer({ script, flags, ...options });
  target.port = server.port;
  const restore = () => {
    target.isCut = false;
  };
  return { server, relayed: { ...server, url: `http://127.0.0.1:${port}/` }, cut, restore };
}

describe('a lost connection', () => {
  test('is shown and opened again, and no event of the time between is lost', async () => {
    const hold = createDeferred();
    const script = { Long: [{ text: ['Before', ' and after'], until: hold.promise }] };
    const { server, relayed, cut, restore } = await startRelayedServer(script);
    const { page, sessionId } = await openSession(fixture, relayed);
    await sendPrompt(page, 'Long answer');
    await page.locator('.kind-text', { hasText: 'Before' }).waitFor();
    cut();
    await bar(page).filter({ hasText: 'Connection lost' }).waitFor();
    hold.resolve();
    await expect.poll(async () => (await server.call(sessionId, 'get_state')).data).toMatchObject({ isSettled: true });
    await server.call(sessionId, 'set_session_name', { name: 'Renamed meanwhile' });
    restore();
    await page.getByRole('button', { name: 'Connect now' }).click();
    await eventually(() => bar(page).count()).toBe(0);
    await page.locator('.kind-text', { hasText: 'Before and after' }).waitFor();
    await eventually(() => readState(page)).toBe('idle');
    await eventually(() => page.locator('.session-head h1').textContent()).toBe('Renamed meanwhile');
    await runPrompt(page, 'And now');
    expect(await page.locator('.prompt-message').allTextContents()).toEqual(['Long answer', 'And now']);
  });

  test('is opened at once when the network is back, and the attempts are counted down', async () => {
    const { relayed, cut, restore } = await startRelayedServer();
    const { page } = await openSession(fixture, relayed);
    // As if the page had been open for an hour.
    await page.evaluate('{ const { now } = Date; Date.now = () => now() + 3_600_000; }');
    await page.evaluate(RECORD_BAR);
    cut();
    await eventually(() => bar(page).textContent()).toMatch(/Retry in \d+ s|Connecting…/);
    await eventually(() => bar(page).textContent()).toMatch(/in ([3-9]|\d\d) s/);
    restore();
    await page.evaluate('dispatchEvent(new Event("online"))');
    await eventually(() => bar(page).count()).toBe(0);
    const seconds = await page.evaluate<string[]>('window.seconds');
    expect(Math.max(...seconds.map(Number))).toBeLessThan(60);
  });

  test('names another process that uses the session', async () => {
    const server = await startPageServer();
    const { page } = await openSession(fixture, server);
    const reason = 'Session is in use by process 1 on host: /a/path/that/is/too/long/for/the/bar';
    await page.routeWebSocket('**/ws?**', (socket) => socket.close({ code: 4409, reason }));
    await page.reload();
    await eventually(() => bar(page).textContent()).toMatch(/in use by another process\.(Retry|Connecting)/);
  });

  test('lets calls fail: a switch shows the value that is still set', async () => {
    const { relayed, cut } = await startRelayedServer();
    const { page } = await openSession(fixture, relayed);
    const level = page.getByLabel('Thinking level');
    const before = await level.inputValue();
    expect(before).not.toBe('high');
    cut();
    await bar(page).waitFor();
    await level.selectOption('high');
    await page.locator('.toast.error').waitFor();
    await eventually(() => level.inputValue()).toBe(before);
  });
});

/** Collects the seconds that the connection bar has shown. Runs in the page. */
const RECORD_BAR = `(() => {
  window.seconds = [];
  const read = () => {
    const [, seconds] = /Retry in (\\d+) s/.exec(document.querySelector('.connection-bar')?.textContent ?? '') ?? [];
    if (seconds) window.seconds.push(seconds);
  };
  new MutationObserver(read).observe(document.body, { childList: true, subtree: true, characterData: true });
})()`;

describe('queued messages after a lost connection', () => {
  const texts = (page: Page) => page.locator('.queue-text').allTextContents();

  test('are those of the server, and can be edited', async () => {
    const hold = createDeferred();
    const script = { Wait: [{ text: ['Waiting', '.'], until: hold.promise }] };
    const { server, relayed, cut, restore } = await startRelayedServer(script);
    const { page, sessionId } = await openSession(fixture, relayed);
    await sendPrompt(page, 'Wait');
    await page.getByText('Waiting').first().waitFor();
    for (const text of ['first', 'second']) await sendPrompt(page, text, 'Alt+Enter');
    await eventually(() => texts(page)).toEqual(['first', 'second']);
    cut();
    await bar(page).waitFor();
    const { data } = (await server.call(sessionId, 'get_queue')) as { data: { items: { id: string }[] } };
    await server.call(sessionId, 'remove_queued_message', { messageId: data.items[0]?.id });
    await server.call(sessionId, 'follow_up', { message: 'third' });
    restore();
    await page.getByRole('button', { name: 'Connect now' }).click();
    await eventually(() => texts(page)).toEqual(['second', 'third']);
    await page.locator('.queue li', { hasText: 'third' }).getByRole('button', { name: 'Move up' }).click();
    await eventually(() => texts(page)).toEqual(['third', 'second']);
    hold.resolve();
    await eventually(() => page.locator('.prompt-message').allTextContents()).toEqual(['Wait', 'third', 'second']);
  });

  test('can be edited if they could not be loaded before', async () => {
    const hold = createDeferred();
    const script = { Wait: [{ text: ['Waiting', '.'], until: hold.promise }] };
    const { server, relayed, cut, restore } = await startRelayedServer(script);
    const { page, sessionId } = await openSession(fixture, relayed);
    // The reply to `get_queue` never arrives over the first connection.
    await page.routeWebSocket('**/ws?**', (socket) => {
      const upstream = socket.connectToServer();
      upstream.onMessage((message) => {
        if (!String(message).includes('"command":"get_queue"') || target.isRestored) socket.send(message);
      });
    });
    const target = { isRestored: false };
    await page.reload();
    await eventually(() => readState(page)).toBe('idle');
    await sendPrompt(page, 'Wait');
    await page.getByText('Waiting').first().waitFor();
    await server.call(sessionId, 'follow_up', { message: 'later' });
    await eventually(() => texts(page)).toEqual(['later']);
    expect(await page.locator('.queue').getByRole('button').count()).toBe(0);
    cut();
    await bar(page).waitFor();
    target.isRestored = true;
    restore();
    await page.evaluate('dispatchEvent(new Event("online"))');
    await page.locator('.queue').getByRole('button', { name: 'Remove' }).click();
    await eventually(() => page.locator('.queue').count()).toBe(0);
    hold.resolve();
  });
});

describe('a question after a lost connection', () => {
  const EXTENSION = `export default function (pi) {
    pi.registerCommand('essay', { description: 'essay', handler: async (_, ctx) => {
      ctx.ui.notify('Got: ' + (await ctx.ui.editor('Write it', 'Dear all')));
    } });
  }`;

  test('keeps the answer that the user has begun, and its field keeps the focus', async () => {
    const userFiles = { 'extensions/essay.ts': EXTENSION };
    const { relayed, cut, restore } = await startRelayedServer({}, { userFiles });
    const { page } = await openSession(fixture, relayed);
    // The question comes again only after the page has shown that it is connected.
    await page.routeWebSocket('**/ws?**', (socket) => {
      const upstream = socket.connectToServer();
      let held: string[] | undefined;
      upstream.onMessage((message) => {
        const text = String(message);
        if (text.includes('"method":"editor"') && connections.count > 1) held = [];
        if (!held) return void socket.send(message);
        held.push(text);
        if (held.length === 1) void release(() => held?.splice(0).forEach((one) => void socket.send(one)));
      });
      connections.count++;
    });
    const connections = { count: 0 };
    const release = (send: () => void) => page.evaluate(TWO_FRAMES).then(send);
    await page.reload();
    await eventually(() => readState(page)).toBe('idle');
    await sendPrompt(page, '/essay');
    const field = page.locator('.dialog textarea');
    await field.fill('Dear Ada, this is a long text');
    cut();
    await bar(page).waitFor();
    restore();
    await page.evaluate('dispatchEvent(new Event("online"))');
    await eventually(() => bar(page).count()).toBe(0);
    await page.keyboard.type('!');
    expect(await field.inputValue()).toBe('Dear Ada, this is a long text!');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.notice', { hasText: 'Got: Dear Ada, this is a long text!' }).waitFor();
  });
});

/** Resolves after the page was drawn twice. */
const TWO_FRAMES = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

describe('the title of the window', () => {
  test('names the session and its state', async () => {
    const hold = createDeferred();
    const script = {
      Wait: [{ text: ['Waiting', '.'], until: hold.promise }],
      Ask: [{ calls: [{ name: 'bash', arguments: { command: 'rm -r x' } }] }],
    };
    const { relayed, cut, restore } = await startRelayedServer(script);
    const start = await fixture.openUrl(`${relayed.url}?token=${relayed.token}`);
    await eventually(() => start.page.title()).toBe('Parley');
    const { page } = await openSession(fixture, relayed);
    await eventually(() => page.title()).toBe('New session · Parley');
    await sendPrompt(page, 'Wait for it');
    await eventually(() => page.title()).toBe('Running · Wait for it · Parley');
    hold.resolve();
    await eventually(() => page.title()).toBe('Wait for it · Parley');
    await page.getByLabel('Permission mode').selectOption('always');
    await sendPrompt(page, 'Ask');
    await eventually(() => page.title()).toBe('Question · Wait for it · Parley');
    cut();
    await eventually(() => page.title()).toBe('Offline · Wait for it · Parley');
    await page.locator('.list-problem').waitFor();
    restore();
    await page.evaluate('dispatchEvent(new Event("online"))');
    await eventually(() => page.title()).toBe('Question · Wait for it · Parley');
    await eventually(() => page.locator('.list-problem').count()).toBe(0);
  });
});

describe('a server that was killed', () => {
  test('is found again, and the interrupted run can be continued', async () => {
    const hold = createDeferred();
    const script = { Work: [{ text: ['Half', ' of it'], until: hold.promise }] };
    const server = await startPageServer({ script });
    const { page, sessionId } = await openSession(fixture, server);
    await sendPrompt(page, 'Work');
    await page.locator('.kind-text', { hasText: 'Half' }).waitFor();
    server.program.kill('SIGKILL');
    await server.program.exited;
    await bar(page).waitFor();
    hold.resolve();
    const directories = { home: server.program.home, cwd: server.program.cwd };
    const flags = await startPageProvider(directories, { Work: [{ text: 'All of it.' }] });
    await startServer([...flags, '--port', String(server.port)], { directories });
    await eventually(() => readState(page)).toBe('interrupted');
    await eventually(() => bar(page).count()).toBe(0);
    await eventually(() => page.locator(`[data-session="${sessionId}"] .dot`).getAttribute('aria-label')).toBe(
      'interrupted',
    );
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.kind-text', { hasText: 'All of it.' }).waitFor();
    await eventually(() => readState(page)).toBe('idle');
    expect(await page.locator('.prompt-message').allTextContents()).toEqual(['Work']);
    await eventually(() => page.getByRole('button', { name: 'Continue' }).count()).toBe(0);
  });

  test('asks its open question no more, and the call of the question is not shown as waiting', async () => {
    const script = { Ask: [{ calls: [{ name: 'bash', arguments: { command: 'rm -r x' } }] }] };
    const server = await startPageServer({ script, flags: ['--set', 'approval=always'] });
    const { page } = await openSession(fixture, server);
    await sendPrompt(page, 'Ask');
    await page.locator('.dialog.approval').waitFor();
    await page.fill('#prompt', 'begun');
    server.program.kill('SIGKILL');
    await server.program.exited;
    await bar(page).waitFor();
    const directories = { home: server.program.home, cwd: server.program.cwd };
    const flags = await startPageProvider(directories, script);
    await startServer([...flags, '--port', String(server.port)], { directories });
    await page.evaluate('dispatchEvent(new Event("online"))');
    await eventually(() => readState(page)).toBe('interrupted');
    await eventually(() => page.locator('.dialog').count()).toBe(0);
    await eventually(() => page.locator('.card.call .status').textContent()).toBe('no result');
    expect(await page.inputValue('#prompt')).toBe('begun');
  });
});

describe('read-only access', () => {
  test('shows everything and hides what cannot be done', async () => {
    const directories = createDirectories();
    const { stdout } = await runProgram(['serve', 'tokens', 'add', 'reader', '--read-only'], '', { directories });
    const script = { Ask: [{ calls: [{ name: 'bash', arguments: { command: 'rm -r x' } }] }] };
    const server = await startPageServer({ directories, script });
    const { page: owner, sessionId } = await openSession(fixture, server);
    await runPrompt(owner, 'From the owner');
    const token = stdout.trim();
    const { page } = await openSession(fixture, { ...server, token }, { sessionId });
    await page.locator('.prompt-message', { hasText: 'From the owner' }).waitFor();
    await page.locator('.session-facts', { hasText: 'read-only' }).waitFor();
    expect(await page.locator('#prompt').isDisabled()).toBe(true);
    expect(await page.getByLabel('Permission mode').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Actions of the session' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Export as HTML']);
    expect(await page.getByRole('button', { name: 'New session' }).count()).toBe(0);
    await page.keyboard.press('n');
    await runPrompt(owner, 'Another one');
    await page.locator('.prompt-message', { hasText: 'Another one' }).waitFor();
    expect(await page.locator('dialog').count()).toBe(0);
    // The question itself is only sent to clients that can answer it.
    await owner.getByLabel('Permission mode').selectOption('always');
    await sendPrompt(owner, 'Ask');
    await eventually(() => readState(page)).toBe('waiting for an answer');
    await owner.getByRole('button', { name: 'Reject', exact: true }).click();
    await eventually(() => readState(page)).toBe('idle');
  });
});
