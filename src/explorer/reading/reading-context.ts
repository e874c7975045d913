import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Address } from "../address/address.ts";
import type { Session } from "./session.ts";

/** State shared by all views. */
export interface Reading {
  session: Session;
  address: Address;
  /** Changes when the server may have new content: views reload. */
  revision: number;
  /** Call it when the server may have new content. */
  reload: () => void;
  /** Tells screen readers something after the current text. */
  announce: (text: string) => void;
}

export const ReadingContext = createContext<Reading | undefined>(undefined);

/** Throws on a page without a key. */
export function useReading(): Reading {
  const reading = useContext(ReadingContext);
  if (reading === undefined) throw new Error("there is no key to read with");
  return reading;
}
