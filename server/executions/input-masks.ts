import type { JsonValue } from '#lib/json.ts'
import { contentOf } from '#server/executions/state/load.ts'
import { type Masker, maskerFor } from '#server/executions/state/masking.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
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
  const releases = new Map([...payloads.values()].map((release) => [release.releaseId, release]))
  const contents = new Map(
    await Promise.all([...releases].map(async ([id, one]) => [id, await contentOf(tx, tenantId, one)] as const)),
  )
  return new Map(
    [...payloads].flatMap(([id, { releaseId, seen }]): [string, InputMask][] => {
      const content = contents.get(releaseId)
      return content === undefined ? [] : [[id, (came) => maskerFor(content, [...seen, came])]]
    }),
  )
}
