// Asks for the directory of a new session.
import { useState } from 'preact/hooks';
import { isNewSessionOpen, refreshSessions, sessions } from '../app/app-state.ts';
import { createSession } from '../app/http-api.ts';
import { navigate } from '../app/router.ts';
import { Modal } from '../parts/modal.tsx';
import { useFocus } from '../parts/use-focus.ts';

const MAX_SUGGESTIONS = 30;

export function NewSession() {
  const [cwd, setCwd] = useState('');
  const [problem, setProblem] = useState('');
  const [isCreating, setIsCreating] = useState(false);
  const field = useFocus<HTMLInputElement>();
  const directories = [...new Set(sessions.value.map((session) => session.cwd))].slice(0, MAX_SUGGESTIONS);
  const close = () => {
    isNewSessionOpen.value = false;
  };
  const create = async () => {
    setIsCreating(true);
    try {
      const id = await createSession(cwd.trim());
      close();
      navigate(id);
      void refreshSessions();
    } catch (thrown) {
      setProblem((thrown as Error).message);
      setIsCreating(false);
    }
  };
  return (
    <Modal title="New session" onClose={close}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <label>
          Directory
          <input
            ref={field}
            type="text"
            class="field mono"
            list="directories"
            value={cwd}
            placeholder="The directory of the server"
            onInput={(event) => setCwd(event.currentTarget.value)}
          />
        </label>
        <datalist id="directories">
          {directories.map((directory) => (
            <option key={directory} value={directory} />
          ))}
        </datalist>
        {problem === '' ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="form-buttons">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={isCreating}>
            Create
          </button>
        </div>
      </form>
    </Modal>
  );
}
