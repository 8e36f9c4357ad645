// The order of the test files: small files that take long start first, so that no worker is left with one of them at the end.
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Without the durations of an earlier run, vitest starts large files first. These take much longer than their size suggests. */
const SLOW_FILES = [
  'test/packaging.test.ts',
  'test/scenarios.test.ts',
  'test/slow-texts.test.ts',
  'test/process/lazy-chunks.test.ts',
  'test/process/isolated-ends.test.ts',
  'test/pages.test.ts',
];

export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const missing = SLOW_FILES.filter((name) => !existsSync(join(root, name)));
    if (missing.length > 0) throw new Error(`Remove from test/support/slow-files-first.ts: ${missing.join(', ')}`);
    const isSlow = ({ moduleId }: TestSpecification) => SLOW_FILES.includes(relative(root, moduleId));
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
