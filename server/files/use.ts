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
 * An input in which each `{"$file": id}` is described by name, type, size and digest, so that reviewers see the file
 * and the approval binds its bytes. Throws 400 for an unknown file.
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
  if (missing !== undefined) throw new ApiError('bad_request', `The file ${missing} does not exist.`)
  return describeFiles(input, (id) => files.get(id)) as JsonObject
}

/**
 * Keeps the files that a value refers to for as long as the execution. Ignores ids that are not files of this tenant.
 */
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
