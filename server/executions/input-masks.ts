import type { JsonValue } from '#lib/json.ts'
import { type Masker, maskerFor } from '#server/executions/state/masking.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { ReleaseContent } from '#server/releases/content.ts'
import { findPayloads } from './payload-store.ts'

/** Masks text about a received value, such as the sender's message, by the value itself and all earlier payloads. */
export type InputMask = (came: JsonValue) => Masker

/** The masks of these executions, by id. An unknown execution is left out, because no manifest defines its sensitive data. */
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
