// Asks for the token when the browser has no valid cookie.
import { useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { useFocus } from '../parts/use-focus.ts';
import { currentStore, refreshSessions } from './app-state.ts';
import { logIn } from './http-api.ts';

export function LoginPage() {
  const [problem, setProblem] = useState('');
  const field = useFocus<HTMLInputElement>();
  const submit = async () => {
    try {
      await logIn(field.current?.value.trim() ?? '');
      await refreshSessions();
      currentStore.value?.retryNow();
    } catch (thrown) {
      setProblem((thrown as Error).message);
    }
  };
  return (
    <main class="start-page">
      <form
        class="form login"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <span class="brand-mark large" aria-hidden="true">
          <Icon name="terminal" size={26} />
        </span>
        <h1>Parley</h1>
        <p class="quiet">
          Open the address that <code>parley serve</code> has printed, or enter its token.
        </p>
        <label>
          Token
          <input ref={field} type="password" class="field mono" autocomplete="off" />
        </label>
        {problem === '' ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="button primary">
          Sign in
        </button>
      </form>
    </main>
  );
}
