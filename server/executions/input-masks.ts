import type { JsonValue } from '#lib/json.ts'
import { type Masker, maskerFor } from '#server/executions/state/masking.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { ReleaseContent } from '#server/releases/content.ts'
import { findPayloads } from './payload-store.ts'

/** Masks what is said of a value that came in, such as its sender's words: by the value itself, and all that was seen before. */
export type InputMask = (came: JsonValue) => Masker

/** The masks of these executions, by id. One that does not exist has none: nobody has said what is sensitive there. */
export async function inputMasks(
  tx: Transaction,
  tenantId: string,
  executionIds: readonly string[],
): Promise<Map<string, InputMask>> {
  const payloads = await findPayloads(tx, tenantId, [...new Set(executionIds)])
  return new Map(
    [...payloads].map(([id, { content, seen }]): [string, InputMask] => {
      const parsed = ReleaseContent.parse(content)
      return [id, (came) => maskerFor(parsed, [...seen, came])]
    }),
  )
}
