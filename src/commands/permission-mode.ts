// The command that changes what the agent may do without asking.
import { object } from 'valibot';
import { command } from '../contracts/index.ts';
import { permissionMode, toApprovalPolicy } from '../protocol/index.ts';

export const setPermissionMode = command({
  name: 'set_permission_mode',
  stability: 'experimental',
  doc: 'What the agent may do without asking, from the next tool call on. `full`: everything. `auto-edit`: read and change files. `ask`: read. `always`: nothing. `read-only`: read; other calls are denied. Subagents follow. It ends with the process, except on a server, where it belongs to the session.',
  lane: 'now',
  params: object({ mode: permissionMode }),
  result: object({ mode: permissionMode }),
  examples: [{ mode: 'ask' }],
  async run({ mode }, { session: { approval } }) {
    approval.policy = toApprovalPolicy(mode);
    return { mode };
  },
});
