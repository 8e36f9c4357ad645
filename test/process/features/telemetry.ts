// Uses OpenTelemetry traces: the program sends the spans of a run to a collector.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readProtobufSpanNames, startCollector } from '../../support/otlp-collector.ts';
import { createDirectories } from '../../support/program.ts';
import { OFFLINE, runProgram } from './feature-program.ts';

export function tryTelemetry(): void {
  describe('traces', () => {
    test('a collector gets the spans of a run', async () => {
      const { url, requests } = await startCollector((response) => response.end());
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
      expect(await runProgram([...OFFLINE, 'say `hello`'], '', { env })).toMatchObject({ code: 0 });
      const names = requests.flatMap(({ body }) => readProtobufSpanNames(body));
      expect(names.sort()).toEqual(['chat offline', 'invoke_agent parley']);
    });

    test('the exporter console writes to the diagnostic log', async () => {
      const directories = createDirectories();
      const log = join(directories.home, 'log');
      const env = { OTEL_TRACES_EXPORTER: 'console', PARLEY_LOG: log };
      const { code, stdout } = await runProgram([...OFFLINE, 'say `hello`'], '', { directories, env });
      expect([code, stdout]).toEqual([0, 'hello\n']);
      expect(readFileSync(log, 'utf8')).toContain('"name":"invoke_agent parley"');
    });
  });
}
