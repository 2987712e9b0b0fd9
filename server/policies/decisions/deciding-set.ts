import type { PolicyText } from '#server/policies/engine/terms.ts'

/** A policy that takes part in a decision. `version` is 0 for the rules generated from a manifest's requireApproval. */
export type DecidingPolicy = { policyId: string; name: string; version: number; digest: string }

/** Policies in order, and how to read their sources when the engine has not cached them. */
export type DecidingSet = {
  /** The tenant whose turn it is in the engine. */
  tenantId: string
  /** Equal keys mean the same sources in the same order. */
  key: string
  policies: readonly DecidingPolicy[]
  readTexts(): Promise<readonly PolicyText[]>
}
