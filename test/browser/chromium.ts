// For tests in a real browser: Debian's chromium, and a watch on everything that a page must not do. Knows no sessions.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/temporary.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

function executable(): string {
  const found = [process.env.CHROMIUM, ...PLACES].find((path) => path && existsSync(path));
  if (found) return found;
  throw new Error(`No chromium at ${PLACES.join(', ')}. Install it (apt-get install chromium) or name it in CHROMIUM.`);
}

/** What comes on a quick machine comes on a slow one too. */
const PATIENCE_MS = 120_000;

/** What a page shows after it was used: its browser may be slower to show it than the test is to look. */
export function soon<T>(look: () => T | Promise<T>) {
  return expect.poll(look, { timeout: PATIENCE_MS });
}

/** What the page did that no page may do, whatever is written in it. */
export interface Trespasses {
  dialogs: string[];
  /** Addresses that were asked for, but for the page itself. */
  requests: string[];
  /** What the page's policy stopped: something got as far as trying. */
  violations: string[];
  /** Canaries that were reached: window.hit is what every payload calls. */
  hits: unknown[];
  errors: string[];
}

export interface OpenedPage {
  readonly page: Page;
  readonly url: string;
  trespasses(): Promise<Trespasses>;
}

/** One browser for the tests of a file. */
export function browser() {
  let running: Browser;
  beforeAll(async () => {
    // Root has no user namespace of its own to put the sandbox into; everywhere else it stays on.
    running = await chromium.launch({
      executablePath: executable(),
      chromiumSandbox: process.getuid?.() !== 0,
      timeout: PATIENCE_MS,
    });
  });
  afterAll(() => running?.close());
  return {
    /** Opens the page from the disk, as whoever was sent it would. */
    async open(html: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
      const context = await running.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      onTestFinished(() => context.close());
      context.setDefaultTimeout(PATIENCE_MS);
      const file = join(temporaryDirectory(), 'page.html');
      writeFileSync(file, html);
      const url = pathToFileURL(file).href;
      const seen = { dialogs: [] as string[], requests: [] as string[], errors: [] as string[] };
      // Nothing leaves the machine, also when a test clicks.
      await context.route('**', (route) => (route.request().url().startsWith(url) ? route.continue() : route.abort()));
      context.on('request', (request) => {
        if (!request.url().startsWith(url) && !request.url().startsWith('data:image/'))
          seen.requests.push(request.url());
      });
      context.on('dialog', async (dialog) => {
        seen.dialogs.push(dialog.message());
        await dialog.dismiss();
      });
      await context.addInitScript(WATCH);
      const page = await context.newPage();
      page.on('pageerror', (error) => seen.errors.push(error.message));
      await page.goto(url);
      return {
        page,
        url,
        async trespasses() {
          const [violations, hits] = await page.evaluate<[string[], unknown[]]>('[window.violations, window.hits]');
          return { ...seen, violations, hits };
        },
      };
    },
  };
}

/** As text, because it runs in the page. */
const WATCH = `
window.hits = [];
window.hit = (...what) => { window.hits.push(what.join(' ') || 'hit'); };
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  window.violations.push(event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sample);
});
`;
