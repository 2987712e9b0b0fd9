import { ApiError } from '#lib/errors.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { describeFiles, filesIn } from '#lib/rules/file-references.ts'
import { Id } from '#lib/schemas/common.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findFiles, insertUses } from './store.ts'

const known = async (tx: Transaction, tenantId: string, ids: readonly string[]) => {
  const valid = ids.filter((id) => Id.safeParse(id).success)
  const files = valid.length === 0 ? [] : await findFiles(tx, tenantId, valid)
  return files.filter((file) => file.contentRemovedAt === null)
}

/**
 * An input with each `{"$file": id}` described by name, type, size and digest: whoever approves sees what was given, and
 * the approval binds its bytes. Throws 400 for a file that is not there.
 */
export async function describeInput(tx: Transaction, tenantId: string, input: JsonObject): Promise<JsonObject> {
  const ids = filesIn(input)
  if (ids.length === 0) return input
  const files = new Map(
    (await known(tx, tenantId, ids)).map(({ id, sha256, bytes, name, mediaType }) => [
      id,
      { $file: id, name, mediaType, bytes, digest: `sha256:${sha256}` },
    ]),
  )
  const missing = ids.find((id) => !files.has(id))
  if (missing !== undefined) throw new ApiError('bad_request', `There is no file ${missing}.`)
  return describeFiles(input, (id) => files.get(id)) as JsonObject
}

/** Keeps the files that a value names for as long as the execution. What is no file of this tenant is left as it is. */
export async function keepFiles(
  tx: Transaction,
  tenantId: string,
  executionId: string,
  role: 'input' | 'output',
  value: JsonValue,
): Promise<void> {
  const files = await known(tx, tenantId, filesIn(value))
  if (files.length > 0)
    await insertUses(
      tx,
      tenantId,
      executionId,
      role,
      files.map((file) => file.id),
    )
}
