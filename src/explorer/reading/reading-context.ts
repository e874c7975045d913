import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Address } from "../address/address.ts";
import type { Session } from "./session.ts";

/** State shared by all views. */
export interface Reading {
  session: Session;
  address: Address;
  /** Changes when the server might have new content, so that views reload. */
  revision: number;
  /** Call it when the server might have new content. */
  reload: () => void;
  /** Announces a message to screen readers when they finish the current one. */
  announce: (text: string) => void;
}

export const ReadingContext = createContext<Reading | undefined>(undefined);

/** Returns the shared state. Throws on a page without a key. */
export function useReading(): Reading {
  const reading = useContext(ReadingContext);
  if (reading === undefined) throw new Error("the page has no key");
  return reading;
}
