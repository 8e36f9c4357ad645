// The services of a host reach its session when it connects, and it is reported when it closes its input.
import { expect, test } from 'vitest';
import type { AgentSession, Codec, Frame, HostServices, SessionHub, ToolSelection } from '../../src/contracts/index.ts';
import { serve } from '../../src/server/index.ts';
import { createCountingIds } from '../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';

test.each([true, false])('a dialect with host services: %s', async (hasServices) => {
  const steps: string[] = [];
  const { transport, host } = createMemoryTransport();
  const session = { id: 's', tools: { hostServices: undefined } as ToolSelection } as AgentSession;
  const services: HostServices = {};
  let send: ((frame: Frame) => void) | undefined;
  const createHostServices: Codec['createHostServices'] = (_, sendFrame) => {
    send = sendFrame;
    return services;
  };
  const codec: Partial<Codec> = {
    encodeReadyFrame: () => undefined,
    handleHostClosed: () => void steps.push('closed'),
    ...(hasServices ? { createHostServices } : {}),
  };
  const hub: Partial<SessionHub> = {
    connect(_, createUi) {
      createUi(session);
      return () => {};
    },
    exitRequested: new Promise(() => {}),
    waitUntilSettled: async () => void steps.push('settled'),
    reportNotRun: () => {},
  };
  const served = serve({
    ...{ transport, codec: codec as Codec, commands: new Map(), hub: hub as SessionHub, onEof: 'finish' as const },
    ports: { clock: createFakeClock(), ids: createCountingIds(), log: () => {} },
  });
  expect(session.tools.hostServices).toBe(hasServices ? services : undefined);
  send?.({ chunks: ['request\n'], bytes: 8 });
  host.end();
  await served;
  transport.close();
  const frames: string[] = [];
  for await (const frame of host.frames()) frames.push(frame);
  expect(frames).toEqual(hasServices ? ['request'] : []);
  expect(steps).toEqual(['closed', 'settled']);
});
