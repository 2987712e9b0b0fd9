import type { CedarValueJson, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs'

/** A request in Cedar's own terms; the engine adds `context.fulfilled`. */
export type CedarRequest = {
  principal: TypeAndId
  action: TypeAndId
  resource: TypeAndId
  context: Record<string, CedarValueJson>
  entities: EntityJson[]
}

/** A published text; equal digests are equal texts and parsed once. */
export type PolicyText = { digest: string; source: string }

/** What the decision point needs to know of a rule: its place, its own text, its annotations. */
export type RuleFacts = { order: number; text: string; annotations: Record<string, string> }
