// Opens the page of a real server in chromium, with a scripted provider.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { createDirectories, type ProgramDirectories } from '../support/program.ts';
import { type Server, startServer } from '../support/server.ts';
import { type BrowserFixture, eventually, type OpenedPage } from './chromium.ts';
import { type PageScript, startPageProvider } from './page-provider.ts';

export interface PageServerOptions {
  readonly script?: PageScript;
  readonly flags?: readonly string[];
  /** Files of the project, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files of the user directory, by path. */
  readonly userFiles?: Readonly<Record<string, string>>;
  readonly directories?: ProgramDirectories;
}

export async function startPageServer(options: PageServerOptions = {}): Promise<Server> {
  const { script = {}, flags = [], files = {}, userFiles = {}, directories = createDirectories() } = options;
  writeFiles(directories.cwd, files);
  writeFiles(directories.home, userFiles);
  const modelFlags = await startPageProvider(directories, script);
  return startServer([...modelFlags, ...flags], { directories });
}

function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

/** Signs in by the address that the server prints, and shows a session. */
export async function openSession(
  { openUrl }: BrowserFixture,
  server: Server,
  { sessionId, ...options }: BrowserContextOptions & { sessionId?: string } = {},
): Promise<OpenedPage & { readonly sessionId: string }> {
  const id = sessionId ?? (await server.createSession());
  const opened = await openUrl(`${server.url}?token=${server.token}&session=${id}`, options);
  await opened.page.waitForSelector('#prompt');
  await eventually(() => readState(opened.page)).not.toBe('loading');
  return { ...opened, sessionId: id };
}

/** What the head of the session says: idle, running, … */
export function readState(page: Page): Promise<string | null> {
  return page.locator('.state-badge').textContent();
}

export async function sendPrompt(page: Page, text: string, key = 'Enter'): Promise<void> {
  await page.fill('#prompt', text);
  await page.press('#prompt', key);
}

/** Sends a prompt and waits for the end of its run. `shown` is a part of the prompt as the page draws it. */
export async function runPrompt(page: Page, text: string, shown = text): Promise<void> {
  const settled = page.locator('.prompt-message', { hasText: shown });
  await sendPrompt(page, text);
  await settled.first().waitFor();
  await eventually(() => readState(page)).toBe('idle');
}

export const NOTHING = { dialogs: [], requests: [], violations: [], hits: [], errors: [] };

/** The page broke no rule: no error, no request to another server, no violation of the policy. */
export async function expectNoTrespasses({ trespasses }: OpenedPage): Promise<void> {
  expect(await trespasses()).toEqual(NOTHING);
}
