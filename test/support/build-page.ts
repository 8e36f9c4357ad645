// Builds the page of the server beside the bundled program, for the tests in a browser.
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildPage } from '../../scripts/page.mjs';

export async function setup(project: TestProject): Promise<void> {
  await buildPage(join(dirname(project.getProvidedContext().program), 'web'));
}
