import type { Transaction } from '#server/kernel/db/closing.ts'
import type { AdoptionEnd } from './adoption-end.ts'
import { laterTypes } from './types.ts'

/**
 * What the signer's memory says of a tenant's adoption. `unreadable`: it is missing or damaged, so that nothing is signed and
 * no adoption begins until the operator has accepted the head. `no memory`: this process does not have it.
 */
export type Recalled = 'ended' | 'open' | 'unreadable' | 'no memory'

/** The memory of the signer, outside the database. */
export type AdoptionMemory = {
  recall(tx: Transaction, tenantId: string): Promise<Recalled>
  /**
   * Writes the end durably. Without `end`, the one that the log contains, if a process of this installation wrote that record.
   * Returns false if it can't be written now, because the memory is missing or damaged, or such a record does not exist.
   */
  remember(tenantId: string, end?: AdoptionEnd): Promise<boolean>
  /** The same for types that a later version binds. Call it only if the adoption of the others has ended. */
  recallTypes(tx: Transaction, tenantId: string, types: readonly string[]): Promise<Recalled>
  /** Writes the end of their adoption, which the log contains, durably. */
  rememberTypes(tenantId: string, types: readonly string[]): Promise<boolean>
}

// Owned by this module: set when the process starts. Without it, only the database says whether an adoption has ended.
let memory: AdoptionMemory | undefined

/** Connects the signer's memory. */
export function connectAdoptionMemory(one: AdoptionMemory): void {
  memory = one
}

export const recallAdoption = async (tx: Transaction, tenantId: string): Promise<Recalled> =>
  (await memory?.recall(tx, tenantId)) ?? 'open'

/** Returns false if the end has to be remembered later. */
export const rememberAdoption = async (tenantId: string, end?: AdoptionEnd): Promise<boolean> =>
  (await memory?.remember(tenantId, end)) ?? true

export const recallLaterAdoption = async (tx: Transaction, tenantId: string): Promise<Recalled> =>
  (await memory?.recallTypes(tx, tenantId, laterTypes)) ?? 'open'

/** Returns false if the end has to be remembered later. */
export const rememberLaterAdoption = async (tenantId: string): Promise<boolean> =>
  (await memory?.rememberTypes(tenantId, laterTypes)) ?? true
