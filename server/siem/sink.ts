import type { JsonObject } from '#lib/json.ts'

/** An audit record as a sink gets it. `record` is what audit.get returns: sensitive values were masked before it was written. */
export type SentRecord = {
  /** The tenant's external id. */
  tenant: string
  auditId: string
  date: string
  seq: number
  action: string
  /** Of the record in the log, so that a copy elsewhere can be compared with an archive. */
  digest: string
  createdAt: Date
  record: JsonObject
}

/** A place outside that gets the audit records of some tenants. */
export type Sink = {
  name: string
  /** External ids. */
  tenants: ReadonlySet<string>
  /** The day with which a new sink starts; undefined: with the first record. */
  from: string | undefined
  /** Returns when all of them have been accepted. Throws NotAccepted; then some of them may have arrived. */
  send(records: readonly SentRecord[]): Promise<void>
  /** Connects without sending a record. Throws NotAccepted. */
  check(): Promise<void>
  /** A call that is under way fails at once, with NotAccepted. */
  close(): Promise<void>
}

/** Why a sink did not take records. The message is for the operator's log and contains no secret. */
export class NotAccepted extends Error {}

/** Some of them were accepted, and it is unknown which: the protocol forbids to send all of them again. */
export class PartlyAccepted extends NotAccepted {}

/** How long a sink is waited for. */
export type Patience = {
  /** Of silence. */
  silenceMs: number
  /** For a call, from connecting to the last byte: one that is never silent must end, too. */
  wholeMs: number
  /** For a check, in all. */
  checkMs: number
}

export const usualPatience: Patience = { silenceMs: 10_000, wholeMs: 60_000, checkMs: 10_000 }
