import type { CedarValueJson, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs'

/** A request in Cedar's own terms; the engine adds `context.fulfilled`. */
export type CedarRequest = {
  principal: TypeAndId
  action: TypeAndId
  resource: TypeAndId
  context: Record<string, CedarValueJson>
  entities: EntityJson[]
}

/** A published source; sources with equal digests are identical and parsed once. */
export type PolicyText = { digest: string; source: string }

/**
 * The facts of a rule that the decision point needs: its position in the source, its text and its annotations. `words`: the text
 * for readers who don't know Cedar, if it can be said in words.
 */
export type RuleFacts = { order: number; text: string; annotations: Record<string, string>; words?: string | undefined }
