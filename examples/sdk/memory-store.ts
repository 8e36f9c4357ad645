// A custom session store that keeps the entries of all sessions in memory instead of files.
import {
  createAgentSession,
  createCustomModel,
  createMemoryStore,
  type MemoryLog,
  type SessionStore,
} from 'parley-agent';

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

const models = createCustomModel({ id: 'brief', answer: () => ['Noted.'] });
const agent = await createAgentSession({ models, store });
await agent.prompt('Remember the milk.');
const storedRoles = logs.flatMap(({ entries }) =>
  entries.flatMap((entry) => (entry.type === 'message' ? [entry.message.role] : [])),
);
process.stdout.write(
  `${logs.length} log, ${storedRoles.join(' and ')} stored, file: ${agent.session.file ?? 'none'}\n`,
);
await agent.close();
