// Starts chromium and records everything that a page must not do.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

function executable(): string {
  const found = [process.env.CHROMIUM, ...PATHS].find((path) => path && existsSync(path));
  if (found) return found;
  throw new Error(
    `No chromium at ${PATHS.join(', ')}. Install it (apt-get install chromium) or set CHROMIUM to its path.`,
  );
}

/** A large limit for slow machines. */
const TIMEOUT_MS = 120_000;

/** Polls a value, because the browser updates the page with a delay. */
export function eventually<T>(look: () => T | Promise<T>) {
  return expect.poll(look, { timeout: TIMEOUT_MS });
}

/** Forbidden actions of a page. */
export interface PageViolations {
  dialogs: string[];
  /** Requested URLs, except the page. */
  requests: string[];
  /** Violations of the content security policy. */
  violations: string[];
  /** Calls of window.hit, which every payload makes. */
  hits: unknown[];
  errors: string[];
}

export interface OpenedPage {
  readonly page: Page;
  readonly url: string;
  trespasses(): Promise<PageViolations>;
}

export interface BrowserFixture {
  /** Opens the page as a local file. */
  open(html: string, options?: BrowserContextOptions): Promise<OpenedPage>;
  /** Opens a page of a server. Requests to other servers are blocked. */
  openUrl(url: string, options?: BrowserContextOptions): Promise<OpenedPage>;
}

/** One browser for the tests of a file. */
export function browser(): BrowserFixture {
  let running: Browser;
  beforeAll(async () => {
    // The sandbox of chromium does not work as root.
    running = await chromium.launch({
      executablePath: executable(),
      chromiumSandbox: process.getuid?.() !== 0,
      timeout: TIMEOUT_MS,
    });
  });
  afterAll(() => running?.close());
  return {
    async open(html, options = {}) {
      const file = join(createTemporaryDirectory(), 'page.html');
      writeFileSync(file, html);
      const url = pathToFileURL(file).href;
      return openPage(running, url, options, (requested) => requested.startsWith(url));
    },
    openUrl(url, options = {}) {
      const { host } = new URL(url);
      return openPage(running, url, options, (requested) => new URL(requested).host === host);
    },
  };
}

async function openPage(
  running: Browser,
  url: string,
  options: BrowserContextOptions,
  isAllowed: (requested: string) => boolean,
): Promise<OpenedPage> {
  const context = await running.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(TIMEOUT_MS);
  const recorded = { dialogs: [] as string[], requests: [] as string[], errors: [] as string[] };
  // Block all other network requests.
  await context.route('**', (route) => (isAllowed(route.request().url()) ? route.continue() : route.abort()));
  context.on('request', (request) => {
    if (!isAllowed(request.url()) && !request.url().startsWith('data:image/')) recorded.requests.push(request.url());
  });
  context.on('dialog', async (dialog) => {
    recorded.dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  await context.addInitScript(RECORDER);
  const page = await context.newPage();
  page.on('pageerror', (error) => recorded.errors.push(error.message));
  await page.goto(url);
  return {
    page,
    url,
    async trespasses() {
      const [violations, hits] = await page.evaluate<[string[], unknown[]]>('[window.violations, window.hits]');
      return { ...recorded, violations, hits };
    },
  };
}

/** Runs in the page, so it is a string. */
const RECORDER = `
window.hits = [];
window.hit = (...what) => { window.hits.push(what.join(' ') || 'hit'); };
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  window.violations.push(event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sample);
});
`;
