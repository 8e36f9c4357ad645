// Describes what another client has changed in the state of the session.
import type { SessionState } from '../protocol/index.ts';

type State = Pick<SessionState, 'model' | 'thinkingLevel' | 'sessionName' | 'permissionMode' | 'trusted'>;

/** One sentence, or `undefined` when nothing has changed that the user sees. */
export function describeStateChange(before: State, after: State, client: string): string | undefined {
  const changes = [
    describeChange('the model', formatModel(before), formatModel(after)),
    describeChange('the thinking level', before.thinkingLevel, after.thinkingLevel),
    describeChange('the session name', before.sessionName, after.sessionName),
    describeChange('the permission mode', before.permissionMode, after.permissionMode),
    ...(before.trusted === after.trusted ? [] : [after.trusted ? 'trusted the project' : 'withdrew the trust']),
  ].filter((change) => change !== undefined);
  return changes.length === 0 ? undefined : `${client} ${changes.join(', ')}.`;
}

function describeChange(what: string, before: string | undefined, after: string | undefined): string | undefined {
  return before === after ? undefined : `set ${what} to ${after ?? 'none'}`;
}

function formatModel({ model }: State): string | undefined {
  return model ? `${model.provider}/${model.id}` : undefined;
}
