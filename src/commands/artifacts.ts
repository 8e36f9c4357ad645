// Commands that list and read artifacts: the complete outputs of which a result shows a part.
import { array, integer, minValue, number, object, optional, pipe, string } from 'valibot';
import { command } from '../contracts/index.ts';

const wholeNumberFrom = (minimum: number) =>
  pipe(number(), integer('must be a whole number'), minValue(minimum, `must be ${minimum} or more`));

export const listArtifacts = command({
  name: 'list_artifacts',
  stability: 'experimental',
  doc: 'The artifacts of this session, oldest first: the complete outputs of which a result shows a part. `createdMs` is when it was written.',
  lane: 'now',
  long: true,
  access: 'read',
  params: object({}),
  result: object({
    artifacts: array(
      object({ id: string(), toolName: string(), bytes: number(), createdMs: optional(number()), path: string() }),
    ),
  }),
  run: async (_, { session }) => ({ artifacts: [...(await (await session.loadArtifacts()).list())] }),
});

export const readArtifact = command({
  name: 'read_artifact',
  stability: 'experimental',
  doc: 'A part of an artifact, from the byte `offset` on, at most `limit` bytes and at most 256 KiB: `text`, or `base64` if it is not UTF-8 text. A character is never cut: continue with `nextOffset`, which is absent at the end.',
  lane: 'now',
  long: true,
  access: 'read',
  params: object({
    artifactId: string(),
    offset: optional(wholeNumberFrom(0)),
    // A character may have four bytes.
    limit: optional(wholeNumberFrom(4)),
  }),
  result: object({
    text: optional(string()),
    base64: optional(string()),
    totalBytes: number(),
    nextOffset: optional(number()),
  }),
  examples: [{ artifactId: '0', offset: 0, limit: 4096 }],
  run: async ({ artifactId, ...range }, { session }) => (await session.loadArtifacts()).read(artifactId, range),
});
