import type { PolicyText } from '#server/policies/engine/terms.ts'

/** A policy that takes part in a decision. `version` is 0 for the rules that a manifest's requireApproval stands for. */
export type DecidingPolicy = { policyId: string; name: string; version: number; digest: string }

/** Policies in their order, and how to read their texts when the engine does not hold them. */
export type DecidingSet = {
  /** Equal keys are equal texts in equal order. */
  key: string
  policies: readonly DecidingPolicy[]
  readTexts(): Promise<readonly PolicyText[]>
}
