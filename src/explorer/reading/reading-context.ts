import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Address } from "../address/address.ts";
import type { Session } from "./session.ts";

/** What every view knows. */
export interface Reading {
  session: Session;
  address: Address;
  /** Another number when what is shown may have changed on the server: a view then reads it again. */
  revision: number;
  /** Says that what is shown may have changed on the server. */
  reload: () => void;
  /** Says something to a screen reader, once what it says now is said. */
  announce: (text: string) => void;
}

export const ReadingContext = createContext<Reading | undefined>(undefined);

/** Throws outside of a page that has a key. */
export function useReading(): Reading {
  const reading = useContext(ReadingContext);
  if (reading === undefined) throw new Error("there is no key to read with");
  return reading;
}
