import type { JSX, TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { CatalogError } from "../../../packages/client/src/catalog-client.ts";
import { BrandIcon } from "../parts/icons.tsx";
import { ThemeSwitch } from "../parts/theme-switch.tsx";
import type { Theme } from "../parts/use-theme.ts";
import { createSession } from "../reading/session.ts";

interface KeyViewProps {
  /** Why the last key was rejected, or "". */
  reason: string;
  /** Called with a valid key. */
  onKey: (key: string) => void;
  theme: Theme;
  onToggleTheme: () => void;
}

export function KeyView({ reason, onKey, theme, onToggleTheme }: KeyViewProps): JSX.Element {
  const [fault, setFault] = useState(reason);
  const [isChecking, setChecking] = useState(false);
  const [isShown, setShown] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = "Enter a key · Lectern";
    field.current?.focus();
  }, []);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? "";
    if (isChecking) return;
    setChecking(true);
    void checkKey(key).then((refusal) => {
      setChecking(false);
      if (refusal === undefined) return onKey(key);
      setFault(refusal);
      field.current?.select();
    });
  };
  return (
    <div class="entrance">
      <header class="entrance-bar">
        <ThemeSwitch theme={theme} onToggle={onToggleTheme} />
      </header>
      <main class="entrance-box">
        <BrandIcon />
        <h1>Read a course catalog</h1>
        <p class="muted">Enter an API key to see its catalog as sites and apps receive it.</p>
        <form onSubmit={submit} noValidate>
          <label for="key">API key</label>
          <div class="field">
            <input
              ref={field}
              id="key"
              {...(isShown ? { type: "text" as const } : { type: "password" as const })}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              placeholder="lectern_…"
              aria-describedby="key-fault key-note"
              aria-invalid={fault !== ""}
            />
            <button type="button" class="field-button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
              {isShown ? "Hide" : "Show"}
            </button>
          </div>
          <p id="key-fault" class="fault" role="alert">
            {fault}
          </p>
          <button type="submit" class="button button-primary">
            {isChecking ? "Checking…" : "Open the catalog"}
          </button>
        </form>
        <p id="key-note" class="small muted">
          The key stays in this tab until you close the tab, and is sent only to this server. Create a key with{" "}
          <code>lectern keys create --project NAME</code>.
        </p>
      </main>
    </div>
  );
}

/** Returns what is wrong with a key, or undefined if it is valid. */
async function checkKey(key: string): Promise<string | undefined> {
  if (key === "") return "Enter a key first.";
  try {
    const catalog = await createSession(key).reading(undefined);
    await catalog.releases();
    return undefined;
  } catch (error) {
    if (!(error instanceof CatalogError)) return "Invalid key: it contains characters that cannot be sent.";
    if (error.status === 401) {
      return "Unknown key. Perhaps it has expired or was revoked. Enter another key; a new one works within a second.";
    }
    if (error.status === 0) return "The server cannot be reached. Try again in a moment.";
    return `The service answered ${error.status}: ${error.message}`;
  }
}
