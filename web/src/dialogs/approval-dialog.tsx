// Asks whether a tool call may run: shows the change or the command, and what each answer allows.
import { useState } from 'preact/hooks';
import { ChangeCount } from '../conversation/call-card.tsx';
import { DiffView } from '../conversation/diff-view.tsx';
import { CodeBlock } from '../markdown/code-block.tsx';
import { Icon } from '../parts/icon.tsx';
import { useFocus } from '../parts/use-focus.ts';
import type { DialogRequest } from '../store/session-view.ts';
import { DialogFrame } from './simple-dialogs.tsx';
import { escapeInvisible } from './visible-text.ts';

type ApprovalRequest = Extract<DialogRequest, { method: 'select' }>;
type CallToApprove = NonNullable<ApprovalRequest['toolCall']>;

interface ApprovalDialogProps {
  readonly dialog: ApprovalRequest;
  readonly call: CallToApprove;
  readonly onAnswer: (answer: object) => void;
}

export function ApprovalDialog({ dialog, call, onAnswer }: ApprovalDialogProps) {
  const [isWriting, setIsWriting] = useState(false);
  const { toolName, cwd, reason } = call;
  return (
    <DialogFrame title={dialog.title} timeout={dialog.timeout} class="approval">
      <p class="call-line">
        <span class="tool-name">{toolName}</span>
        {typeof call.args.path === 'string' ? <code>{escapeInvisible(call.args.path)}</code> : null}
        {call.diff === undefined ? null : <ChangeCount diff={call.diff} />}
        <span class="quiet">in {escapeInvisible(cwd)}</span>
      </p>
      {reason ? (
        <p class="reason">
          <Icon name="warning" size={14} /> {escapeInvisible(reason)}
        </p>
      ) : null}
      <div class="approval-body">
        <CallDetails id={dialog.id} call={call} />
      </div>
      {isWriting ? (
        <RefusalForm onAnswer={onAnswer} onBack={() => setIsWriting(false)} />
      ) : (
        <ApprovalChoices dialog={dialog} call={call} onAnswer={onAnswer} onWrite={() => setIsWriting(true)} />
      )}
    </DialogFrame>
  );
}

/** Arguments that a diff shows completely. */
const DIFF_ARGUMENTS: readonly string[] = ['path', 'content', 'edits', 'oldText', 'newText'];

/** Shows every argument. Invisible characters could hide a part of the call, so they are escaped. */
function CallDetails({ id, call: { args, diff } }: { readonly id: string; readonly call: CallToApprove }) {
  const shown = diff !== undefined ? DIFF_ARGUMENTS : ['command'];
  const rest = Object.entries(args).filter(([key]) => !shown.includes(key));
  return (
    <>
      {diff !== undefined ? (
        <DiffView id={id} diff={escapeInvisible(diff)} />
      ) : typeof args.command === 'string' ? (
        <CodeBlock code={escapeInvisible(args.command)} language="bash" />
      ) : null}
      {rest.length > 0 ? (
        <dl class="argument-list">
          {rest.map(([key, value]) => (
            <div key={key}>
              <dt>{escapeInvisible(key)}</dt>
              <dd>{escapeInvisible(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</dd>
            </div>
          ))}
        </dl>
      ) : null}
    </>
  );
}

interface ApprovalChoicesProps extends ApprovalDialogProps {
  readonly onWrite: () => void;
}

function ApprovalChoices({ dialog, call, onAnswer, onWrite }: ApprovalChoicesProps) {
  const { options } = dialog;
  const session = escapeInvisible(call.sessionScope ?? call.toolName);
  const rules = (call.rules ?? []).map(escapeInvisible).join(', ');
  const answer = (value: string) => onAnswer({ value });
  const others = options.filter((option) => !['allow', 'allow_session', 'allow_always', 'deny'].includes(option));
  return (
    <div class="choices approval-choices">
      {options.includes('allow') ? (
        <button type="button" class="button scoped primary" onClick={() => answer('allow')}>
          Allow once <small>this call only</small>
        </button>
      ) : null}
      {options.includes('allow_session') ? (
        <button type="button" class="button scoped" onClick={() => answer('allow_session')}>
          In this session <small>{session}</small>
        </button>
      ) : null}
      {options.includes('allow_always') ? (
        <button type="button" class="button scoped" onClick={() => answer('allow_always')}>
          Always <small>{rules}</small>
        </button>
      ) : null}
      {others.map((option) => (
        <button key={option} type="button" class="button" onClick={() => answer(option)}>
          {option}
        </button>
      ))}
      <span class="spacer" />
      <span class="refusals">
        <button type="button" class="button danger" onClick={() => answer('deny')}>
          Reject
        </button>
        <button type="button" class="text-button" onClick={onWrite}>
          Reject with a message
        </button>
      </span>
    </div>
  );
}

interface RefusalFormProps {
  readonly onAnswer: (answer: object) => void;
  readonly onBack: () => void;
}

function RefusalForm({ onAnswer, onBack }: RefusalFormProps) {
  const field = useFocus<HTMLInputElement>();
  const goBack = () => {
    // Otherwise the focus would be lost with the field.
    field.current?.closest<HTMLElement>('[data-dialog]')?.focus();
    onBack();
  };
  return (
    <form
      class="choices"
      onSubmit={(event) => {
        event.preventDefault();
        const message = field.current?.value.trim() ?? '';
        onAnswer({ value: 'deny', ...(message === '' ? {} : { message }) });
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Outside of the form, Escape aborts the run.
        event.stopPropagation();
        goBack();
      }}
    >
      <input
        ref={field}
        type="text"
        class="field"
        aria-label="Message to the model"
        placeholder="Why not? The model gets this message."
      />
      <button type="submit" class="button danger">
        Reject
      </button>
      <button type="button" class="text-button" onClick={goBack}>
        Back
      </button>
    </form>
  );
}
