import { z } from 'zod'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { BudgetState } from '#server/policies/budgets/budget.ts'
import { type ObligationKind, obligationKinds } from '#server/policies/language/annotations.ts'
import { runtimeSchema, runtimeServer } from '#server/policies/language/runtime-schema.ts'
import { findToolSchema } from './decision-store.ts'
import type { GovernedRequest } from './request.ts'

/** The table is append-only and written only by decide(), so it is enough to check the kind of call. */
const Governed = z.custom<GovernedRequest>(
  (value) =>
    isJsonObject(value) && isJsonObject(value.agent) && (isJsonObject(value.tool) || isJsonObject(value.model)),
)
const Circumstances = z.object({
  now: z.iso.datetime(),
  // The default for decisions recorded before this field existed.
  honours: z.array(z.enum(obligationKinds)).default(['approval']),
  budgets: z.array(BudgetState).default([]),
})

export type RecordedRequest = {
  request: GovernedRequest
  now: Date
  honours: readonly ObligationKind[]
  /** The states of the budgets that were checked. */
  budgets: readonly BudgetState[]
  /** False when the arguments were left out because they do not have a canonical form. */
  whole: boolean
}

/** Reads a tool's schema; undefined when it was never stored. */
export type SchemaReader = (tool: { server: string; name: string; digest: string }) => Promise<JsonObject | undefined>

/** Reads each schema once. */
export function schemaReader(tx: Transaction, tenantId: string): SchemaReader {
  const known = new Map<string, JsonObject | undefined>()
  return async (tool) => {
    const key = JSON.stringify(tool)
    if (!known.has(key))
      known.set(key, (await findToolSchema(tx, tenantId, tool))?.inputSchema as JsonObject | undefined)
    return known.get(key)
  }
}

/** The request of a recorded decision, with the tool's schema at that time. */
export async function recordedRequest(read: SchemaReader, recorded: unknown): Promise<RecordedRequest> {
  const { now, honours, budgets } = Circumstances.parse(recorded)
  const governed = Governed.parse(recorded)
  const whole = isJsonObject(governed.arguments)
  const request = { ...governed, arguments: whole ? governed.arguments : {} }
  return { request: await withSchema(read, request), now: new Date(now), honours, budgets, whole }
}

async function withSchema(read: SchemaReader, request: GovernedRequest): Promise<GovernedRequest> {
  if (!('tool' in request) || request.tool.digest === undefined) return request
  const { server, name, digest } = request.tool
  const inputSchema = server === runtimeServer ? runtimeSchema : await read({ server, name, digest })
  return inputSchema === undefined ? request : { ...request, tool: { ...request.tool, inputSchema } }
}
