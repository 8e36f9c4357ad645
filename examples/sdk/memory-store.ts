// Conversations kept by your program instead of in files: a store that holds on to every log it was asked for.
import { createAgentSession, createMemoryStore, type MemoryLog, ownModel, type SessionStore } from 'parley-agent';

const logs: MemoryLog[] = [];
const memory = createMemoryStore();
const store: SessionStore = {
  ...memory,
  create(header) {
    const log = memory.create(header);
    logs.push(log);
    return log;
  },
};

const models = ownModel({ id: 'brief', answer: () => ['Noted.'] });
const agent = await createAgentSession({ models, store });
await agent.prompt('Remember the milk.');
const kept = logs.flatMap(({ entries }) =>
  entries.flatMap((entry) => (entry.type === 'message' ? [entry.message.role] : [])),
);
process.stdout.write(`${logs.length} log, ${kept.join(' and ')} kept, file: ${agent.session.file ?? 'none'}\n`);
await agent.close();
